package doubles

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Region is the region of the deployed stacks.
const Region = "eu-central-1"

// StorageTemplate has the resources of template.yaml that store data, and the outputs by which an installation is
// found.
const StorageTemplate = `{"Parameters": {"Parts": {"Type": "Number", "Default": "1"}}, "Resources": {
  "Table": {"Type": "AWS::DynamoDB::Table", "Properties": {
    "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 25, "WriteCapacityUnits": 25},
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}},
  "RawBucket": {"Type": "AWS::S3::Bucket"},
  "Queue": {"Type": "AWS::SQS::Queue"},
  "DeadLetters": {"Type": "AWS::SQS::Queue"},
  "ScheduleDeadLetters": {"Type": "AWS::SQS::Queue"}},
 "Outputs": {
  "Url": {"Value": "https://reader.example.com"},
  "TableName": {"Value": {"Ref": "Table"}}, "RawBucketName": {"Value": {"Ref": "RawBucket"}},
  "QueueUrl": {"Value": {"Ref": "Queue"}}, "DeadLettersUrl": {"Value": {"Ref": "DeadLetters"}},
  "ScheduleDeadLettersUrl": {"Value": {"Ref": "ScheduleDeadLetters"}}}}`

// Cloud is AWS played by doubles: CloudFormation, S3 and SQS are moto's, the table is dynalite's.
type Cloud struct{ moto, dynalite string }

// NewCloud starts the doubles, or skips the test.
func NewCloud(t testing.TB) Cloud {
	t.Helper()
	return Cloud{moto: Moto(t), dynalite: Dynalite(t)}
}

// Env returns the environment variables with which a program uses the doubles.
func (c Cloud) Env() map[string]string {
	return map[string]string{
		"AWS_REGION": Region, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_ENDPOINT_URL": c.moto, "AWS_ENDPOINT_URL_S3": c.moto, "AWS_ENDPOINT_URL_DYNAMODB": c.dynalite,
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	}
}

// Lookup looks up a variable of Env.
func (c Cloud) Lookup(k string) (string, bool) { v, ok := c.Env()[k]; return v, ok }

func (c Cloud) config(endpoint string) aws.Config {
	return aws.Config{Region: Region, BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
}

// Deploy creates a stack and returns its name.
func (c Cloud) Deploy(t testing.TB, template string) string {
	t.Helper()
	name := Name("ruri")
	ctx := context.Background()
	cf := cloudformation.NewFromConfig(c.config(c.moto))
	if _, err := cf.CreateStack(ctx,
		&cloudformation.CreateStackInput{StackName: &name, TemplateBody: &template}); err != nil {
		t.Fatal(err)
	}
	all, err := cf.DescribeStackResources(ctx, &cloudformation.DescribeStackResourcesInput{StackName: &name})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all.StackResources {
		if aws.ToString(r.ResourceType) == "AWS::DynamoDB::Table" {
			c.createTable(t, aws.ToString(r.PhysicalResourceId))
		}
	}
	return name
}

func (c Cloud) createTable(t testing.TB, name string) {
	t.Helper()
	_, err := dynamodb.NewFromConfig(c.config(c.dynalite)).CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName: &name,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
		ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(25),
			WriteCapacityUnits: aws.Int64(25)},
	})
	if err != nil {
		t.Fatal(err)
	}
}
