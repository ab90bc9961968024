// Command crawler is the Lambda function that handles the messages of the queue.
package main

import (
	"os"

	"github.com/ruri-reader/ruri/internal/wire/iconwire"
	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

// version is set by the linker.
var version = "dev"

func main() { lambda.Run(version, os.LookupEnv, iconwire.Shrink, lambda.Crawl) }
