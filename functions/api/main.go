// Command api is the Lambda function that answers HTTP.
package main

import (
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/ruri-reader/ruri/internal/lambda"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
)

// version is set by the linker.
var version = "dev"

func main() {
	app, err := awswire.Open(version, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(awsrun.API(app))
}
