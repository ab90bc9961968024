// Package templatetest holds template.yaml to the rules that no linter knows: least privilege, the limits that
// CloudFormation accepts and AWS then refuses or lets rot (visibility, time-outs, the schedule's phase), and
// what a bill or a lost body would tell too late. It has tests only; cfn-lint and sam validate run beside it.
//
// A check is a function of the template that reports what it finds, so that mutations_test.go can run all of them on
// templates with a planted mistake, each of which must be noticed.
package templatetest
