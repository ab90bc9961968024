// Command orchestrator is the Lambda function that turns each tick of the schedule into messages.
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
	lambda.Start(awsrun.Orchestrate(app))
}
