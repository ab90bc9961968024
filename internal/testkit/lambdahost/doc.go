// Package lambdahost runs Lambda functions as AWS does, without AWS and without Docker: the real compiled bootstrap
// in a process of its own for each execution environment, driven by the Runtime API; with what calls functions
// (an SQS event source, an HTTP API) and what serves them (CloudFront).
//
// Emulated as AWS documents it: cold starts and their init errors, one invocation at a time in an environment,
// freezing (SIGSTOP) between invocations, the deadline and the kill at the time-out, the account's and a function's
// concurrency, payload limits, batches with partial failures, visibility and redrive (through the queue's own
// policy), payload format 2.0 in both directions.
// Not emulated: CPU share by memory, the sandbox's own start, network latency, IAM beyond what Gate is given.
//
// # Fault injection
//
// Three hooks, each called once for each event, so that a seeded plan can be replayed:
//
//   - Options.Fault is called before an invocation: throttle it, delay it, kill the environment before the handler has
//     the event, or a while after, or let the handler end and lose its response.
//   - Gate.Hook is called before each call that a function makes to a service (DynamoDB PutItem, S3 GetObject, …):
//     let it through, refuse it with a service's error, or kill the calling environment before or after the service
//     did it. That is a crash before or after each step, and lost responses.
//   - EventSource.Tamper receives what was received and returns the batches to deliver: in another order,
//     twice, or one by one.
//
// Host.Recycle kills idle environments, so that what comes next are cold starts.
package lambdahost
