"""Deploys template.yaml onto emulated AWS.

Reads one request per line (JSON) from standard input and writes one line of response to each; rig.go is the client.
moto's CloudFormation creates what it supports. What it skips must be named in NOT_EMULATED: the rehearsal runs those
resources from their resolved properties, or linters and internal/testkit/templatetest alone check them. The table and
the queues are created again in dynalite and fauxqs, which are stricter and take the traffic.
"""

import io
import json
import os
import sys
import time
import traceback
import zipfile

import boto3
from botocore.config import Config

import assertions
from template import Stack, translate

REGION, ACCOUNT = "us-east-1", "123456789012"
os.environ["AWS_DEFAULT_REGION"] = REGION  # the translator asks the SDK's session

# Types that moto's CloudFormation skips without an error, with the status CREATE_COMPLETE.
NOT_EMULATED = {
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::Stage",
    "AWS::Budgets::Budget",
    "AWS::CloudFront::CachePolicy",
    "AWS::CloudFront::Distribution",
    "AWS::CloudFront::Function",
    "AWS::CloudFront::OriginAccessControl",
    "AWS::CloudFront::OriginRequestPolicy",
    "AWS::CloudFront::ResponseHeadersPolicy",
    "AWS::CloudWatch::Alarm",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Logs::MetricFilter",
    "AWS::S3::BucketPolicy",
    "AWS::Scheduler::Schedule",
}


class Failed(Exception):
    """A fault of the template; the message names the resource."""


class Cloud:
    """The clients of the emulated services."""

    def __init__(self, endpoints):
        self.endpoints = endpoints
        self.clients = {}

    def __call__(self, service, where="moto"):
        if (service, where) not in self.clients:
            self.clients[service, where] = boto3.client(
                service,
                endpoint_url=self.endpoints[where],
                region_name=REGION,
                aws_access_key_id="rehearsal",
                aws_secret_access_key="rehearsal",
                config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 0}, parameter_validation=True),
            )
        return self.clients[service, where]


def package():
    """A placeholder for the package of `sam build`: lambdahost runs the bootstraps."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as z:
        z.writestr("bootstrap", "run by the rehearsal's own host")
    return buffer.getvalue()


def deploy(cloud, request):
    s3 = cloud("s3")
    s3.create_bucket(Bucket="artifacts")
    s3.put_object(Bucket="artifacts", Key="bootstrap.zip", Body=package())
    translated = translate(request["template"], lambda name: "s3://artifacts/bootstrap.zip")
    stack = Stack(translated, request["stack"], REGION, ACCOUNT, request["parameters"])
    stack.parameter_of_ssm = lambda name: cloud("ssm").get_parameter(Name=name)["Parameter"]["Value"]
    create(cloud, stack)
    name_rest(stack, request["front"])
    stack.resolved = {k: stack.resolve(r.get("Properties", {})) for k, r in stack.resources().items()}
    problems = assertions.check(stack)
    create_strict(cloud, stack)
    return {
        "problems": problems,
        "resources": {k: {"type": r["Type"], "name": stack.names.get(k)} for k, r in stack.resources().items()},
        "properties": stack.resolved,
        "outputs": {k: stack.resolve(o["Value"]) for k, o in translated["Outputs"].items()},
        "queues": stack.queues,
    }


def create(cloud, stack):
    """Creates the stack with moto's CloudFormation, and checks that it skips exactly NOT_EMULATED."""
    cf, name = cloud("cloudformation"), stack.pseudo["AWS::StackName"]
    cf.create_stack(
        StackName=name,
        TemplateBody=json.dumps(stack.without(NOT_EMULATED)),
        Capabilities=["CAPABILITY_IAM"],
        Parameters=[{"ParameterKey": k, "ParameterValue": v} for k, v in stack.parameters.items()],
    )
    status = cf.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
    if status != "CREATE_COMPLETE":
        raise Failed(f"CloudFormation ended with {status}")
    made = {
        r["LogicalResourceId"]: r.get("PhysicalResourceId")  # a permission has none
        for r in cf.describe_stack_resources(StackName=name)["StackResources"]
        if r.get("ResourceType")
    }
    resources = stack.resources()
    missing = {r["Type"] for k, r in resources.items() if k not in made}
    expected = {t for t in NOT_EMULATED if any(r["Type"] == t for r in resources.values())}
    if missing != expected:
        raise Failed(
            "CloudFormation skips other types than NOT_EMULATED lists: "
            f"unexpectedly skipped {sorted(missing - expected)}, unexpectedly created {sorted(expected - missing)}."
        )
    for key, physical in made.items():
        stack.names[key] = physical
    for key in made:
        name_attributes(cloud, stack, key, resources[key]["Type"], made[key])


def name_attributes(cloud, stack, key, kind, physical):
    """Sets what GetAtt returns for a resource that CloudFormation created."""
    put = lambda attribute, value: stack.attributes.__setitem__((key, attribute), value)  # noqa: E731
    if kind == "AWS::SQS::Queue":
        name = physical.rsplit("/", 1)[1]
        put("QueueName", name)
        put("Arn", f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}")
    elif kind == "AWS::DynamoDB::Table":
        put("Arn", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{physical}")
    elif kind == "AWS::S3::Bucket":
        put("Arn", f"arn:aws:s3:::{physical}")
        put("RegionalDomainName", f"{physical}.s3.{REGION}.amazonaws.com")
    elif kind == "AWS::Lambda::Function":
        put("Arn", cloud("lambda").get_function_configuration(FunctionName=physical)["FunctionArn"])
    elif kind == "AWS::IAM::Role":
        put("Arn", cloud("iam").get_role(RoleName=physical)["Role"]["Arn"])
    elif kind == "AWS::Logs::LogGroup":
        put("Arn", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{physical}:*")
    elif kind == "AWS::SNS::Topic":
        put("TopicArn", physical)


def name_rest(stack, front):
    """Gives the resources of NOT_EMULATED the names and attributes that others refer to."""
    account, stack_name = stack.pseudo["AWS::AccountId"], stack.pseudo["AWS::StackName"]
    for key, r in stack.resources().items():
        if r["Type"] not in NOT_EMULATED:
            continue
        name = f"{stack_name}-{key}".lower()
        if r["Type"] == "AWS::CloudFront::Distribution":
            stack.attributes[key, "DomainName"] = front
        elif r["Type"] == "AWS::CloudFront::OriginAccessControl":
            stack.attributes[key, "Id"] = name
        elif r["Type"] == "AWS::CloudFront::Function":
            name = f"arn:aws:cloudfront::{account}:function/{name}"
            stack.attributes[key, "FunctionARN"] = name
        stack.names[key] = name


def create_strict(cloud, stack):
    """Creates the table and the queues again, from the same properties, in the emulators that take the traffic."""
    stack.queues = {}
    pending = []
    for key, r in stack.resources().items():
        p = stack.resolved[key]
        if r["Type"] == "AWS::DynamoDB::Table":
            wanted = {k: typed(p[k]) for k in ("AttributeDefinitions", "KeySchema", "BillingMode", "ProvisionedThroughput") if k in p}
            cloud("dynamodb", "dynalite").create_table(TableName=stack.names[key], **wanted)
            deadline = time.monotonic() + 10
            while cloud("dynamodb", "dynalite").describe_table(TableName=stack.names[key])["Table"]["TableStatus"] != "ACTIVE":
                if time.monotonic() > deadline:
                    raise Failed(f"{key} does not become active")
                time.sleep(0.01)
        elif r["Type"] == "AWS::SQS::Queue":
            pending.append(key)
    # Dead-letter queues first: others refer to them.
    for key in sorted(pending, key=lambda k: "RedrivePolicy" in stack.resolved[k]):
        attributes = queue_attributes(stack.resolved[key])
        out = cloud("sqs", "fauxqs").create_queue(QueueName=stack.attributes[key, "QueueName"], Attributes=attributes)
        stack.queues[key] = out["QueueUrl"]


def queue_attributes(properties):
    out = {}
    for name, value in properties.items():
        if name in ("Tags", "QueueName", "SqsManagedSseEnabled"):
            continue
        out[name] = json.dumps(value) if isinstance(value, dict) else str(value)
    if "RedrivePolicy" in out:  # fauxqs has an account number of zeros
        out["RedrivePolicy"] = out["RedrivePolicy"].replace(f":{ACCOUNT}:", ":000000000000:")
    return out


def typed(value):
    """Converts numbers that parameters give as texts."""
    if isinstance(value, list):
        return [typed(v) for v in value]
    if isinstance(value, dict):
        return {k: typed(v) for k, v in value.items()}
    return int(value) if isinstance(value, str) and value.isdigit() else value


def main():
    cloud = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if cloud is None:
                cloud = Cloud(request["endpoints"])
            response = deploy(cloud, request)
        except Failed as e:
            response = {"error": str(e)}
        except Exception:  # the client reports it
            response = {"error": traceback.format_exc()}
        print(json.dumps(response, default=str), flush=True)


if __name__ == "__main__":
    main()
