"""Deploys template.yaml onto emulated AWS and reads all of it back.

Reads one order a line (JSON) from standard input and answers with one line each; rehearse.go is who asks. What moto's
CloudFormation makes is made by it, and what it leaves out is made through the API of each service: the set that it
leaves out must be the one named here, so that nobody believes a type to be covered that is not. The table lives in
dynalite and the queues in fauxqs, which are strict; they are made from the same properties.
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
import readback
from template import Stack, translate

REGION, ACCOUNT = "us-east-1", "123456789012"
os.environ["AWS_DEFAULT_REGION"] = REGION  # the translator asks the SDK's session

# What moto's CloudFormation leaves out in silence, with the status CREATE_COMPLETE, and how it is made instead.
LEFT_OUT = {
    "AWS::ApiGatewayV2::Api": "api",
    "AWS::ApiGatewayV2::Integration": "api",
    "AWS::ApiGatewayV2::Route": "api",
    "AWS::ApiGatewayV2::Stage": "api",
    "AWS::Budgets::Budget": "api",
    "AWS::CloudFront::Distribution": "api",
    "AWS::CloudFront::OriginAccessControl": "api",
    # moto has no API for these two: the front of the rehearsal plays them from the template.
    "AWS::CloudFront::Function": "front",
    "AWS::CloudFront::ResponseHeadersPolicy": "front",
    "AWS::CloudWatch::Alarm": "api",
    "AWS::Lambda::EventInvokeConfig": "api",
    "AWS::Logs::MetricFilter": "api",
    "AWS::S3::BucketPolicy": "api",
    "AWS::Scheduler::Schedule": "api",
}


class Failed(Exception):
    """The deployment is wrong; the message says what and where."""


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
    """A package as `sam build` makes it, in name: the host runs the bootstraps themselves."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as z:
        z.writestr("bootstrap", "run by the rehearsal's own host")
    return buffer.getvalue()


def deploy(cloud, order):
    s3 = cloud("s3")
    s3.create_bucket(Bucket="artifacts")
    s3.put_object(Bucket="artifacts", Key="bootstrap.zip", Body=package())
    translated = translate(order["template"], lambda name: "s3://artifacts/bootstrap.zip")
    stack = Stack(translated, order["stack"], REGION, ACCOUNT, order["parameters"])
    stack.parameter_of_ssm = lambda name: cloud("ssm").get_parameter(Name=name)["Parameter"]["Value"]
    create(cloud, stack, order)
    make_rest(cloud, stack, order)
    stack.resolved = {k: stack.resolve(r.get("Properties", {})) for k, r in stack.resources().items()}
    problems = assertions.check(stack)
    make_functions_whole(cloud, stack)
    make_strict(cloud, stack)
    report = readback.compare(cloud, stack)
    let_plain_http_in(cloud, stack)
    problems += report.problems
    return {
        "problems": problems,
        "compared": report.compared,
        "unread": report.unread,
        "resources": {k: {"type": r["Type"], "name": stack.names.get(k)} for k, r in stack.resources().items()},
        "properties": stack.resolved,
        "outputs": {k: stack.resolve(o["Value"]) for k, o in translated["Outputs"].items()},
        "queues": stack.queues,
    }


def create(cloud, stack, order):
    """Lets moto's CloudFormation make what it can, and holds it to the set that it leaves out."""
    cf, name = cloud("cloudformation"), order["stack"]
    cf.create_stack(
        StackName=name,
        TemplateBody=json.dumps(stack.without(LEFT_OUT)),
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
    expected = {t for t in LEFT_OUT if any(r["Type"] == t for r in resources.values())}
    if missing != expected:
        raise Failed(
            "CloudFormation left out other types than are known: "
            f"unexpectedly {sorted(missing - expected)}, and made after all {sorted(expected - missing)}. "
            "Name them in LEFT_OUT and say how they are made."
        )
    for key, physical in made.items():
        stack.names[key] = physical
    for key in made:
        name_attributes(cloud, stack, key, resources[key]["Type"], made[key])


def name_attributes(cloud, stack, key, kind, physical):
    """What GetAtt gives of what CloudFormation made."""
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


def make_rest(cloud, stack, order):
    """Makes what CloudFormation left out, each when what it names is there."""
    waiting = {k: r for k, r in stack.resources().items() if r["Type"] in LEFT_OUT}
    # The front is the distribution: its name is where it listens.
    for key, r in waiting.items():
        if r["Type"] == "AWS::CloudFront::Distribution":
            stack.attributes[key, "DomainName"] = order["front"]
    while waiting:
        done = []
        for key, r in waiting.items():
            try:
                properties = stack.resolve(r.get("Properties", {}))
            except KeyError as e:
                reason = e
                continue
            readback.make(cloud, stack, key, r["Type"], properties)
            done.append(key)
        if not done:
            raise Failed(f"{sorted(waiting)} name what is never made: {reason}")
        for key in done:
            del waiting[key]


def make_functions_whole(cloud, stack):
    """Gives functions the variables, and those who may invoke them the names, of what CloudFormation left out."""
    for key, r in stack.resources().items():
        if r["Type"] == "AWS::Lambda::Permission":
            cloud("lambda").add_permission(StatementId=key, **stack.resolved[key])
        if r["Type"] == "AWS::Lambda::Function":
            variables = {k: str(v) for k, v in stack.resolved[key]["Environment"]["Variables"].items()}
            cloud("lambda").update_function_configuration(FunctionName=stack.names[key], Environment={"Variables": variables})


def let_plain_http_in(cloud, stack):
    """Takes the policies off the buckets once they were read back: they refuse whoever comes without TLS, and that the
    emulators' clients do."""
    for key, r in stack.resources().items():
        if r["Type"] == "AWS::S3::BucketPolicy":
            cloud("s3").delete_bucket_policy(Bucket=stack.resolved[key]["Bucket"])


def make_strict(cloud, stack):
    """Makes table and queues once more, from the same properties, where the traffic goes."""
    stack.queues = {}
    pending = []
    for key, r in stack.resources().items():
        p = stack.resolved[key]
        if r["Type"] == "AWS::DynamoDB::Table":
            wanted = {k: readback.typed(p[k]) for k in ("AttributeDefinitions", "KeySchema", "BillingMode", "ProvisionedThroughput") if k in p}
            cloud("dynamodb", "dynalite").create_table(TableName=stack.names[key], **wanted)
            deadline = time.monotonic() + 10
            while cloud("dynamodb", "dynalite").describe_table(TableName=stack.names[key])["Table"]["TableStatus"] != "ACTIVE":
                if time.monotonic() > deadline:
                    raise Failed(f"{key} does not become active")
                time.sleep(0.01)
        elif r["Type"] == "AWS::SQS::Queue":
            pending.append(key)
    # A queue's dead letters first.
    for key in sorted(pending, key=lambda k: "RedrivePolicy" in stack.resolved[k]):
        attributes = readback.queue_attributes(stack.resolved[key], skip=("SqsManagedSseEnabled",))
        out = cloud("sqs", "fauxqs").create_queue(QueueName=stack.attributes[key, "QueueName"], Attributes=attributes)
        stack.queues[key] = out["QueueUrl"]


def main():
    cloud = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if cloud is None:
                cloud = Cloud(order["endpoints"])
            answer = deploy(cloud, order)
        except Failed as e:
            answer = {"error": str(e)}
        except Exception:  # told to who asked, whatever it was
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer, default=str), flush=True)


if __name__ == "__main__":
    main()
