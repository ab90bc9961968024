// Command orchestrator is the Lambda function that turns each tick of the schedule into messages.
package main

import (
	"os"

	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

// version is set by the linker.
var version = "dev"

func main() { lambda.Run(version, os.LookupEnv, nil, lambda.Orchestrate) }
