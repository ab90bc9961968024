"""What `make deploy` and `make destroy` do beside SAM: settings of a stage, the page's upload, the removal.

Run by the Python that the SAM CLI lives in (.tools/aws), with its boto3: the same credentials, profiles and
AWS_ENDPOINT_URL. Commands:

  settings STAGE                       shell assignments: stack, region and parameters of a stage in samconfig.toml
  page STACK --files JSON --from DIR   uploads the built page, invalidates what changed
  keeps STACK                          says what removing the stack takes away, and what it leaves
  empty STACK                          empties the page's bucket, without which a stack cannot be deleted
  purge KEPT                           deletes what `keeps --json` named: the table, the bucket with all versions
"""

import argparse
import datetime
import json
import pathlib
import shlex
import sys
import tomllib

import boto3
import botocore.exceptions

STAGES = {"dev": "default", "staging": "staging", "prod": "prod"}


class Fault(Exception):
    """An error that the caller can fix; printed without a stack trace."""


def settings(args):
    """A stage's stack, region and parameters, as the deployments before wrote them down."""
    if args.stage not in STAGES:
        raise Fault(f"there is no stage {args.stage}: dev, staging or prod")
    env = STAGES[args.stage]
    config = tomllib.loads(pathlib.Path(args.config).read_text()).get(env, {})
    of = lambda command, key: config.get(command, {}).get("parameters", {}).get(key, "")
    overrides = of("deploy", "parameter_overrides")
    values = {
        "config_env": env,
        "stack": of("deploy", "stack_name") or of("global", "stack_name"),
        "region": of("deploy", "region") or of("global", "region"),
        "profile": of("deploy", "profile") or of("global", "profile"),
        "parameters": overrides if isinstance(overrides, str) else " ".join(overrides),
    }
    for key, value in values.items():
        print(f"{key}={shlex.quote(value)}")


NAMED = {"PageBucketName": "PageBucket", "DistributionId": "Distribution", "TableName": "Table", "RawBucketName": "RawBucket"}

# A first deployment that failed has taken back what it made; such a stack can only be removed.
NEVER = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "REVIEW_IN_PROGRESS", "CREATE_FAILED")


def describe(stack):
    """What a stack's resources are called: its outputs, completed by its resources' logical names."""
    client = boto3.client("cloudformation")
    try:
        found = client.describe_stacks(StackName=stack)["Stacks"][0]
    except botocore.exceptions.ClientError as e:
        if "does not exist" in str(e):
            raise Fault(f"there is no stack {stack} in {client.meta.region_name}") from None
        raise
    of = {r["LogicalResourceId"]: r.get("PhysicalResourceId") for r in client.describe_stack_resources(StackName=stack)["StackResources"]}
    names = {output: of.get(resource) for output, resource in NAMED.items()}
    names |= {o["OutputKey"]: o["OutputValue"] for o in found.get("Outputs", [])}
    names["failed"] = found["StackStatus"] in NEVER
    if not names["failed"] and not (names["PageBucketName"] and names["TableName"] and names["RawBucketName"]):
        raise Fault(f"{stack} is no stack of Ruri Reader: it has no table and buckets of that name")
    return names


def page(args):
    """Uploads in the order given: parts before the page that names them. Parts of older pages stay for a while, as
    pages that are open somewhere still load them; their time is counted from when they were first left behind."""
    names = describe(args.stack)
    bucket = names["PageBucketName"]
    s3 = boto3.client("s3")
    before = {o["Key"]: o for o in objects(s3, bucket)}
    files = json.loads(args.files)
    changed = []
    for f in files:
        put = s3.put_object(
            Bucket=bucket, Key=f["name"], Body=(pathlib.Path(args.source) / f["name"]).read_bytes(),
            ContentType=f["contentType"], CacheControl=f["cacheControl"],
        )
        if before.get(f["name"], {}).get("ETag") != put["ETag"]:
            changed.append(f)
    now = datetime.datetime.now(datetime.timezone.utc)
    left, removed = set(before) - {f["name"] for f in files}, 0
    for key in sorted(left):
        head = s3.head_object(Bucket=bucket, Key=key)
        since = head["Metadata"].get("superseded")
        if not since:
            s3.copy_object(
                Bucket=bucket, Key=key, CopySource={"Bucket": bucket, "Key": key}, MetadataDirective="REPLACE",
                ContentType=head["ContentType"], CacheControl=head.get("CacheControl", "no-cache"),
                Metadata={"superseded": now.date().isoformat()},
            )
        elif now.date() - datetime.date.fromisoformat(since) >= datetime.timedelta(days=args.grace_days):
            s3.delete_object(Bucket=bucket, Key=key)
            removed += 1
    print(f"page: {len(files)} files into {bucket}, {len(changed)} of them new or changed; "
          f"{len(left) - removed} of older pages kept, {removed} removed")
    invalidate(names["DistributionId"], [f["name"] for f in changed if "immutable" not in f["cacheControl"]])


def invalidate(distribution, names):
    """What has a hash in its name never changes and need not be forgotten. A thousand paths a month are free."""
    if not names or not distribution:
        print("page: nothing to invalidate")
        return
    paths = ["/" + n for n in names] + (["/"] if "index.html" in names else [])
    reference = datetime.datetime.now(datetime.timezone.utc).strftime("page-%Y%m%dT%H%M%S.%f")
    boto3.client("cloudfront").create_invalidation(
        DistributionId=distribution,
        InvalidationBatch={"Paths": {"Quantity": len(paths), "Items": paths}, "CallerReference": reference},
    )
    print("page: invalidated", " ".join(paths))


def objects(s3, bucket):
    for answer in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        yield from answer.get("Contents", [])


def keeps(args):
    names = describe(args.stack)
    kept = {} if names["failed"] else {"table": names["TableName"], "bucket": names["RawBucketName"]}
    if args.json:
        print(json.dumps(kept))
        return
    if names["failed"]:
        print(f"The first deployment of {args.stack} failed and took back what it had made. Removing the stack loses nothing.")
        return
    region = boto3.client("cloudformation").meta.region_name
    table = boto3.client("dynamodb").describe_table(TableName=kept["table"])["Table"]
    print(f"""Removing the stack {args.stack} in {region} ({names.get("Url", "no address")}) takes away
the functions, the schedule, the queues with what waits in them, the API, CloudFront's distribution, the page, the
logs and the alarms. It keeps what people made, because no deployment can bring it back:

  table   {kept["table"]}   ({table.get("ItemCount", 0)} rows, {table.get("TableSizeBytes", 0) / 1e6:.1f} MB, as counted up to six hours ago)
  bucket  {kept["bucket"]}

Both cost next to nothing while nobody uses them; the table only if its provisioned capacity is beyond the free 25
units. A new deployment makes new ones; docs/run/deploy.md tells how to bring the old content back. To delete them as well,
for good and with every backup in them: make destroy STAGE=… PURGE=1""")


def empty(args):
    bucket = describe(args.stack)["PageBucketName"]
    if bucket:
        print(f"emptied {bucket}: {erase(bucket)} objects")


def erase(bucket):
    """Deletes every object of a bucket in all its versions."""
    s3, n = boto3.client("s3"), 0
    try:
        for answer in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
            found = answer.get("Versions", []) + answer.get("DeleteMarkers", [])
            for i in range(0, len(found), 1000):
                batch = [{"Key": o["Key"], "VersionId": o["VersionId"]} for o in found[i:i + 1000]]
                done = s3.delete_objects(Bucket=bucket, Delete={"Objects": batch, "Quiet": True})
                if errors := done.get("Errors"):
                    raise Fault(f"{bucket}: {len(errors)} objects could not be deleted: {errors[0]['Code']} {errors[0]['Key']}")
                n += len(batch)
    except botocore.exceptions.ClientError as e:
        if e.response["Error"]["Code"] != "NoSuchBucket":
            raise
    return n


def purge(args):
    kept = json.loads(args.kept)
    if not kept:
        return
    n = erase(kept["bucket"])
    for what, delete in (
        (f"bucket {kept['bucket']} ({n} objects)", lambda: boto3.client("s3").delete_bucket(Bucket=kept["bucket"])),
        (f"table {kept['table']}", lambda: boto3.client("dynamodb").delete_table(TableName=kept["table"])),
    ):
        try:
            delete()
            print("deleted", what)
        except botocore.exceptions.ClientError as e:
            if e.response["Error"]["Code"] not in ("NoSuchBucket", "ResourceNotFoundException"):
                raise
            print("gone already:", what)


def main():
    parser = argparse.ArgumentParser(prog="aws.py")
    commands = parser.add_subparsers(required=True)

    def command(name, run, *arguments):
        p = commands.add_parser(name)
        p.set_defaults(run=run)
        for names, options in arguments:
            p.add_argument(*names, **options)

    command("settings", settings, (["stage"], {}), (["--config"], {"required": True}))
    command("page", page, (["stack"], {}), (["--files"], {"required": True}), (["--from"], {"dest": "source", "required": True}),
            (["--grace-days"], {"type": int, "default": 30}))
    command("keeps", keeps, (["stack"], {}), (["--json"], {"action": "store_true"}))
    command("empty", empty, (["stack"], {}))
    command("purge", purge, (["kept"], {}))
    args = parser.parse_args()
    try:
        args.run(args)
    except Fault as e:
        sys.exit(f"aws: {e}")
    except botocore.exceptions.NoCredentialsError:
        sys.exit("aws: no AWS credentials: sign in (aws sso login, aws configure) or set AWS_PROFILE")
    except botocore.exceptions.NoRegionError:
        sys.exit("aws: no region: set AWS_REGION, or deploy once with make deploy, which asks and remembers it")
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as e:
        sys.exit(f"aws: {e}")


main()
