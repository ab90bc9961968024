package templatetest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// statements gives the Allow statements of all roles and resource policies.
func statements(template node) map[string][]node {
	found := map[string][]node{}
	add := func(name string, document node) {
		for _, s := range document.get("Statement").list() {
			for _, s := range unfold(s) {
				if s.get("Effect").text() == "Allow" {
					found[name] = append(found[name], s)
				}
			}
		}
	}
	for name, role := range resources(template, "AWS::IAM::Role") {
		for _, policy := range role.get("Properties", "Policies").list() {
			add(name, policy.get("PolicyDocument"))
		}
	}
	for _, kind := range []string{"AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy", "AWS::IAM::ManagedPolicy"} {
		for name, policy := range resources(template, kind) {
			add(name, policy.get("Properties", "PolicyDocument"))
		}
	}
	return found
}

// unfold gives the branches of a statement that stands in an !If.
func unfold(s node) []node {
	if !s.exists() || s.Tag != "!If" {
		return []node{s}
	}
	var out []node
	for _, branch := range s.Content[1:] {
		out = append(out, unfold(node{branch})...)
	}
	return out
}

// TestLeastPrivilege: no action or resource is wider than it need be.
//
func TestLeastPrivilege(t *testing.T) { hold(t, checkLeastPrivilege) }

func checkLeastPrivilege(faults *findings, template node) {
	for role, all := range statements(template) {
		for _, s := range all {
			for _, action := range s.get("Action").list() {
				if strings.Contains(action.text(), "*") {
					faults.Errorf("%s: %s may do %q; name the actions", action.where(), role, action.text())
				}
			}
			for _, resource := range s.get("Resource").list() {
				// A star is right for what lies under a prefix of a bucket, and nowhere else.
				text := resource.text()
				if before, ok := strings.CutSuffix(text, "/*"); strings.Contains(text, "*") &&
					(!ok || strings.Contains(before, "*") || !strings.HasPrefix(before, "${")) {
					faults.Errorf("%s: %s reaches %q; name the resource", resource.where(), role, text)
				}
			}
			if s.get("NotAction").exists() || s.get("NotResource").exists() || s.get("NotPrincipal").exists() {
				faults.Errorf("%s: %s allows by exclusion", s.where(), role)
			}
			if s.get("Principal").text() == "*" {
				faults.Errorf("%s: %s lets everybody in", s.where(), role)
			}
		}
	}
}

// TestRolesDoWhatTheyNeed holds each function's rights to this list: one more is a decision.
// H-35
func TestRolesDoWhatTheyNeed(t *testing.T) { hold(t, checkRolesDoWhatTheyNeed) }

func checkRolesDoWhatTheyNeed(faults *findings, template node) {
	want := map[string]map[string][]string{
		"OrchestratorRole": {
			"Table.Arn":               {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"},
			"Queue.Arn":               {"sqs:SendMessage"},
			"ScheduleDeadLetters.Arn": {"sqs:SendMessage"},
			"OrchestratorLogs.Arn":    {"logs:CreateLogStream", "logs:PutLogEvents"},
		},
		"CrawlerRole": {
			"Table.Arn":                  readWriteRows,
			"${RawBucket.Arn}/feeds/*":   {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
			"${RawBucket.Arn}/icons/*":   {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
			"${RawBucket.Arn}/search/*":  {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
			"${RawBucket.Arn}/counts/*":  {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
			"${RawBucket.Arn}/tags/*":    {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
			"${RawBucket.Arn}/imports/*": {"s3:DeleteObject", "s3:GetObject"},
			"${RawBucket.Arn}/pushed/*":  {"s3:DeleteObject", "s3:GetObject"},
			"${RawBucket.Arn}/pages/*":   {"s3:DeleteObject", "s3:PutObject"},
			"${RawBucket.Arn}/stars/*":   {"s3:DeleteObject", "s3:PutObject"},
			"RawBucket.Arn":              {"s3:ListBucket"},
			"DeadLetters.Arn":            {"sqs:SendMessage"},
			"Queue.Arn": {
				"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage",
				"sqs:SendMessage",
			},
			parameterARN + "${WebhookKeysParameter}": {"ssm:GetParameters"},
			"CrawlerLogs.Arn":                        {"logs:CreateLogStream", "logs:PutLogEvents"},
		},
		"ApiRole": {
			"Table.Arn":                  readWriteRows,
			"${RawBucket.Arn}/feeds/*":   {"s3:GetObject", "s3:PutObject"},
			"${RawBucket.Arn}/icons/*":   {"s3:GetObject"},
			"${RawBucket.Arn}/search/*":  {"s3:GetObject"},
			"${RawBucket.Arn}/counts/*":  {"s3:GetObject"},
			"${RawBucket.Arn}/tags/*":    {"s3:GetObject"},
			"${RawBucket.Arn}/imports/*": {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
			"${RawBucket.Arn}/pushed/*":  {"s3:PutObject"},
			"${RawBucket.Arn}/pages/*":   {"s3:GetObject", "s3:PutObject"},
			"${RawBucket.Arn}/stars/*":   {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
			"RawBucket.Arn":              {"s3:ListBucket"},
			"Queue.Arn":                  {"sqs:SendMessage"},
			"DeadLetters.Arn": {"sqs:ChangeMessageVisibility", "sqs:DeleteMessage",
				"sqs:ReceiveMessage"},
			"ApiLogs.Arn": {"logs:CreateLogStream", "logs:PutLogEvents"},
			parameterARN + "${SessionSecretParameter}":      {"ssm:GetParameters"},
			parameterARN + "${AiKeyParameter}":              {"ssm:GetParameters"},
			"AiModelArns":                                   {"bedrock:InvokeModel"},
			parameterARN + "${GoogleClientSecretParameter}": {"ssm:GetParameters"},
			parameterARN + "${WebhookKeysParameter}":        {"ssm:GetParameters"},
			parameterARN + "${OidcClientSecretParameter}":   {"ssm:GetParameters"},
		},
	}
	all := statements(template)
	for role := range resources(template, "AWS::IAM::Role") {
		got := map[string][]string{}
		for _, s := range all[role] {
			if s.text() == "AWS::NoValue" {
				continue
			}
			for _, resource := range s.get("Resource").list() {
				for _, action := range s.get("Action").list() {
					got[resource.text()] = append(got[resource.text()], action.text())
				}
			}
		}
		for resource := range got {
			slices.Sort(got[resource])
		}
		if !maps.EqualFunc(got, want[role], slices.Equal) {
			faults.Errorf("%s may do\n%v\nand the list says\n%v", role, got, want[role])
		}
	}
	if n := len(resources(template, "AWS::IAM::Role")); n != len(want) {
		faults.Errorf("%d roles, the list has %d", n, len(want))
	}
}

const parameterARN = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter"

var readWriteRows = []string{
	"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:GetItem",
	"dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem",
}

// TestWhatTheAPILeaves: requests write no counts, although the API may write every other row.
// H-35
func TestWhatTheAPILeaves(t *testing.T) { hold(t, checkWhatTheAPILeaves) }

func checkWhatTheAPILeaves(faults *findings, template node) {
	denied := map[string][]node{}
	for name, role := range resources(template, "AWS::IAM::Role") {
		for _, policy := range role.get("Properties", "Policies").list() {
			for _, s := range policy.get("PolicyDocument", "Statement").list() {
				if s.exists() && s.get("Effect").text() == "Deny" {
					denied[name] = append(denied[name], s)
				}
			}
		}
	}
	if len(denied) != 1 || len(denied["ApiRole"]) != 1 {
		faults.Errorf("statements that deny: %d roles, %d of the API, want one of the API", len(denied),
			len(denied["ApiRole"]))
		return
	}
	want(faults, denied["ApiRole"][0], "what the API leaves",
		"{Action: [dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:DeleteItem, dynamodb:BatchWriteItem], "+
			"Condition: {ForAnyValue:StringLike: {dynamodb:LeadingKeys: [HB#*, HN#*, STAT#*]}}, Effect: Deny, "+
			"Resource: "+
			"!GetAtt Table.Arn, Sid: LeaveCounts}")
}

// TestOneRoleEach: a function that shares a role has the other's rights, and SAM's own policies are wide.
func TestOneRoleEach(t *testing.T) { hold(t, checkOneRoleEach) }

func checkOneRoleEach(faults *findings, template node) {
	roles := map[string]string{}
	for name, f := range resources(template, "AWS::Serverless::Function") {
		role := f.get("Properties", "Role")
		if !role.exists() {
			faults.Errorf("%s has no role of its own; SAM would make one that may write every log", name)
		}
		if other := roles[role.text()]; other != "" {
			faults.Errorf("%s and %s share %s", name, other, role.text())
		}
		roles[role.text()] = name
		if f.get("Properties", "Policies").exists() {
			faults.Errorf("%s: Policies are ignored beside a Role", name)
		}
	}
}
