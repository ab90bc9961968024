// Command api is the Lambda function of the HTTP API.
package main

import (
	"os"

	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

// version is set by the linker.
var version = "dev"

func main() { lambda.Run(version, os.LookupEnv, nil, lambda.API) }
