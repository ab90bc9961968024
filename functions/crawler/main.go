// Command crawler is the Lambda function that polls the feeds of queue messages.
package main

import (
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/ruri-reader/ruri/internal/lambda"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
	"github.com/ruri-reader/ruri/internal/wire/iconwire"
)

// version is set by the linker.
var version = "dev"

func main() {
	app, err := awswire.Open(version, os.LookupEnv)
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(awsrun.Crawl(iconwire.Decode(app)))
}
