// Command barelambda is aws-lambda-go with a handler that does nothing: the least that a function in Go can take
// from its start to its first request for work. The functions' own start is printed as a multiple of it.
package main

import "github.com/aws/aws-lambda-go/lambda"

func main() {
	lambda.Start(func() error { return nil })
}
