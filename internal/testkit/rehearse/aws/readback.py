"""Makes what CloudFormation left out, reads every resource back, and compares it with the template.

A property of the template is compared, or it stands in UNREAD with the reason why it cannot be: one that is neither is
a problem, so that a new property is not believed to be checked.
"""

import ast
import json
import re

# Properties that no emulator keeps, by type. What AWS makes of them only an account can show.
UNREAD = {
    "AWS::ApiGatewayV2::Stage": {"AutoDeploy": "moto deploys nothing"},
    "AWS::CloudFront::Distribution": {},
    "AWS::CloudFront::Function": {"*": "played by the front from the template itself"},
    "AWS::CloudFront::ResponseHeadersPolicy": {"*": "played by the front from the template itself"},
    "AWS::Lambda::Function": {
        "Code": "the host runs the bootstraps",
        "Tags": "moto keeps none",
        "Architectures": "moto keeps none; assertions.py looks at it",
        "LoggingConfig": "moto keeps none; assertions.py looks at it",
    },
    "AWS::DynamoDB::Table": {"Tags": "dynalite keeps none"},
    "AWS::SQS::Queue": {"Tags": "not compared"},
    "AWS::IAM::Role": {"Tags": "not compared"},
}

# Parts of a property that moto forgets, as it reads them back.
LOST = {
    "AWS::CloudFront::Distribution": {"OriginAccessControlId", "ResponseHeadersPolicyId", "FunctionAssociations", "S3OriginConfig"},
}


class Report:
    def __init__(self):
        self.problems, self.compared, self.unread = [], 0, []


def compare(cloud, stack):
    apply_dropped(cloud, stack)
    report = Report()
    for key, r in stack.resources().items():
        kind, wanted = r["Type"], stack.resolved[key]
        if kind not in READERS:
            report.problems.append(f"{key}: nobody reads {kind} back; write a reader in readback.py")
            continue
        actual = READERS[kind](cloud, stack, key, wanted)
        unread = UNREAD.get(kind, {})
        for name, value in wanted.items():
            if name in actual:
                differ(report, f"{key}.{name}", shaped(kind, name, value), actual[name], LOST.get(kind, ()))
                report.compared += 1
            elif name in unread or "*" in unread:
                report.unread.append(f"{key}.{name}: {unread.get(name) or unread['*']}")
            else:
                report.problems.append(f"{key}.{name}: not read back; read it in readback.py, or say in UNREAD why it cannot be")
    return report


def differ(report, where, wanted, actual, lost):
    """Reports where what is there lacks what is wanted. More than that (defaults) may be there."""
    if isinstance(wanted, dict):
        if not isinstance(actual, dict):
            report.problems.append(f"{where}: {actual!r} where the template has a map")
            return
        for k, v in wanted.items():
            if k in lost:
                inner = Report()
                differ(inner, k, v, actual.get(k), ())
                if inner.problems:
                    report.unread.append(f"{where}.{k}: moto forgets it")
            elif k in actual and actual[k] is not None:
                differ(report, f"{where}.{k}", v, actual[k], lost)
            elif v not in ("", [], {}):
                report.problems.append(f"{where}.{k}: is not there, the template says {v!r}")
    elif isinstance(wanted, list):
        actual = actual if isinstance(actual, list) else [actual]
        if len(wanted) != len(actual):
            report.problems.append(f"{where}: {actual!r}, the template says {wanted!r}")
            return
        if all(not isinstance(w, (dict, list)) for w in wanted):
            wanted, actual = sorted(map(text, wanted)), sorted(map(text, actual))
        for i, (w, a) in enumerate(zip(wanted, actual)):
            differ(report, f"{where}[{i}]", w, a, lost)
    elif text(wanted) != text(actual):
        report.problems.append(f"{where}: {actual!r}, the template says {wanted!r}")


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def typed(value):
    """Turns the numbers that parameters are texts of into numbers, as the SDK wants them."""
    if isinstance(value, list):
        return [typed(v) for v in value]
    if isinstance(value, dict):
        return {k: typed(v) for k, v in value.items()}
    if isinstance(value, str) and value.isdigit():
        return int(value)
    if value in ("true", "false"):
        return value == "true"
    return value


def lower(value):
    """Names as the JSON APIs spell them: aName."""
    if isinstance(value, list):
        return [lower(v) for v in value]
    if isinstance(value, dict):
        return {k[:1].lower() + k[1:]: lower(v) for k, v in value.items()}
    return value


def upper(value):
    if isinstance(value, list):
        return [upper(v) for v in value]
    if isinstance(value, dict):
        return {k[:1].upper() + k[1:]: upper(v) for k, v in value.items()}
    return value


def shaped(kind, name, value):
    """The template's value in the shape that the API reads back."""
    if (kind, name) == ("AWS::CloudFront::Distribution", "DistributionConfig"):
        return distribution_config(value, "compare")
    if kind == "AWS::Logs::MetricFilter" and name == "MetricTransformations":
        return [upper(v) for v in value]
    return value


def queue_attributes(properties, skip=()):
    out = {}
    for name, value in properties.items():
        if name in skip or name in ("Tags", "QueueName"):
            continue
        out[name] = json.dumps(value) if isinstance(value, dict) else text(value)
    if "RedrivePolicy" in out:
        # fauxqs numbers its account with zeroes.
        out["RedrivePolicy"] = out["RedrivePolicy"].replace(":123456789012:", ":000000000000:")
    return out


# ---- making what CloudFormation left out -------------------------------------------------------------------------


def make(cloud, stack, key, kind, p):
    name, attributes = MAKERS[kind](cloud, stack, key, p)
    stack.names[key] = name
    for attribute, value in attributes.items():
        stack.attributes.setdefault((key, attribute), value)


def make_api(cloud, stack, key, p):
    out = cloud("apigatewayv2").create_api(Name=p["Name"], ProtocolType=p["ProtocolType"], Description=p.get("Description", ""))
    return out["ApiId"], {}


def make_integration(cloud, stack, key, p):
    out = cloud("apigatewayv2").create_integration(**typed(p))
    return out["IntegrationId"], {}


def make_route(cloud, stack, key, p):
    return cloud("apigatewayv2").create_route(**p)["RouteId"], {}


def make_stage(cloud, stack, key, p):
    cloud("apigatewayv2").create_stage(**typed(p))
    return p["StageName"], {}


def make_budget(cloud, stack, key, p):
    budget = dict(p["Budget"], BudgetLimit={"Amount": text(p["Budget"]["BudgetLimit"]["Amount"]), "Unit": p["Budget"]["BudgetLimit"]["Unit"]})
    notifications = [
        {"Notification": n["Notification"], "Subscribers": n["Subscribers"]} for n in p.get("NotificationsWithSubscribers", [])
    ]
    cloud("budgets").create_budget(AccountId=stack.pseudo["AWS::AccountId"], Budget=budget, NotificationsWithSubscribers=notifications)
    return budget["BudgetName"], {}


def make_access_control(cloud, stack, key, p):
    out = cloud("cloudfront").create_origin_access_control(OriginAccessControlConfig=p["OriginAccessControlConfig"])
    identity = out["OriginAccessControl"]["Id"]
    return identity, {"Id": identity}


def make_distribution(cloud, stack, key, p):
    config = dict(distribution_config(p["DistributionConfig"], "create"), CallerReference=stack.pseudo["AWS::StackName"])
    tagged = {"DistributionConfig": config, "Tags": {"Items": p.get("Tags", [])}}
    out = cloud("cloudfront").create_distribution_with_tags(DistributionConfigWithTags=tagged)["Distribution"]
    return out["Id"], {"DomainName": out["DomainName"]}


def play_function(cloud, stack, key, p):
    arn = f"arn:aws:cloudfront::{stack.pseudo['AWS::AccountId']}:function/{p['Name']}"
    return arn, {"FunctionARN": arn}


def play_headers(cloud, stack, key, p):
    return f"headers-{key}", {}


def make_alarm(cloud, stack, key, p):
    name = f"{stack.pseudo['AWS::StackName']}-{key}"
    cloud("cloudwatch").put_metric_alarm(AlarmName=name, **typed_alarm(p))
    return name, {}


def typed_alarm(p):
    p = typed(p)
    if "Threshold" in p:
        p["Threshold"] = float(p["Threshold"])
    return p


def make_invoke_config(cloud, stack, key, p):
    cloud("lambda").put_function_event_invoke_config(
        FunctionName=p["FunctionName"],
        MaximumRetryAttempts=int(p["MaximumRetryAttempts"]),
        MaximumEventAgeInSeconds=int(p["MaximumEventAgeInSeconds"]),
        DestinationConfig=p["DestinationConfig"],
    )
    return p["FunctionName"], {}


def make_metric_filter(cloud, stack, key, p):
    name = f"{stack.pseudo['AWS::StackName']}-{key}"
    cloud("logs").put_metric_filter(
        logGroupName=p["LogGroupName"],
        filterName=name,
        filterPattern=p["FilterPattern"],
        metricTransformations=[lower(t) for t in p["MetricTransformations"]],
    )
    return name, {}


def make_bucket_policy(cloud, stack, key, p):
    cloud("s3").put_bucket_policy(Bucket=p["Bucket"], Policy=json.dumps(p["PolicyDocument"]))
    return p["Bucket"], {}


def make_schedule(cloud, stack, key, p):
    cloud("scheduler").create_schedule(**typed(p))
    return p["Name"], {"Arn": f"arn:aws:scheduler:{stack.pseudo['AWS::Region']}:{stack.pseudo['AWS::AccountId']}:schedule/default/{p['Name']}"}


MAKERS = {
    "AWS::ApiGatewayV2::Api": make_api,
    "AWS::ApiGatewayV2::Integration": make_integration,
    "AWS::ApiGatewayV2::Route": make_route,
    "AWS::ApiGatewayV2::Stage": make_stage,
    "AWS::Budgets::Budget": make_budget,
    "AWS::CloudFront::Distribution": make_distribution,
    "AWS::CloudFront::OriginAccessControl": make_access_control,
    "AWS::CloudFront::Function": play_function,
    "AWS::CloudFront::ResponseHeadersPolicy": play_headers,
    "AWS::CloudWatch::Alarm": make_alarm,
    "AWS::Lambda::EventInvokeConfig": make_invoke_config,
    "AWS::Logs::MetricFilter": make_metric_filter,
    "AWS::S3::BucketPolicy": make_bucket_policy,
    "AWS::Scheduler::Schedule": make_schedule,
}


def items(values):
    return {"Quantity": len(values), "Items": values}


def distribution_config(c, purpose):
    """The template's distribution in the API's shape, which counts its lists and spells some names otherwise."""
    create = purpose == "create"

    def behaviour(b):
        out = {
            "TargetOriginId": b["TargetOriginId"],
            "ViewerProtocolPolicy": b["ViewerProtocolPolicy"],
            "AllowedMethods": dict(items(b["AllowedMethods"]), **({"CachedMethods": items(["GET", "HEAD"])} if create else {})),
            "Compress": b.get("Compress", False),
        }
        for k in ("CachePolicyId", "OriginRequestPolicyId", "ResponseHeadersPolicyId", "PathPattern"):
            if k in b:
                out[k] = b[k]
        if "FunctionAssociations" in b:
            out["FunctionAssociations"] = items([dict(a) for a in b["FunctionAssociations"]])
        return out

    def origin(o):
        out = {"Id": o["Id"], "DomainName": o["DomainName"]}
        if "OriginAccessControlId" in o:
            out["OriginAccessControlId"] = o["OriginAccessControlId"]
        if "S3OriginConfig" in o:
            out["S3OriginConfig"] = {"OriginAccessIdentity": ""}
        if "OriginCustomHeaders" in o:
            out["CustomHeaders"] = items([dict(h) for h in o["OriginCustomHeaders"]])
        if "CustomOriginConfig" in o:
            custom = o["CustomOriginConfig"]
            out["CustomOriginConfig"] = {
                "HTTPPort": int(custom.get("HTTPPort", 80)),
                "HTTPSPort": int(custom.get("HTTPSPort", 443)),
                "OriginProtocolPolicy": custom["OriginProtocolPolicy"],
                "OriginSslProtocols": items(custom["OriginSSLProtocols"]),
                "OriginReadTimeout": int(custom.get("OriginReadTimeout", 30)),
            }
        return out

    out = {
        "Comment": c["Comment"],
        "Enabled": c["Enabled"],
        "HttpVersion": c["HttpVersion"],
        "IsIPV6Enabled": c["IPV6Enabled"],
        "PriceClass": c["PriceClass"],
        "DefaultRootObject": c["DefaultRootObject"],
        "Origins": items([origin(o) for o in c["Origins"]]),
        "DefaultCacheBehavior": behaviour(c["DefaultCacheBehavior"]),
        "CacheBehaviors": items([behaviour(b) for b in c["CacheBehaviors"]]),
        "ViewerCertificate": {"CloudFrontDefaultCertificate": c["ViewerCertificate"].get("CloudFrontDefaultCertificate", False)},
    }
    if "Aliases" in c:
        out["Aliases"] = items(c["Aliases"])
    known = {
        "Comment", "Enabled", "HttpVersion", "IPV6Enabled", "PriceClass", "DefaultRootObject", "Origins", "DefaultCacheBehavior",
        "CacheBehaviors", "ViewerCertificate", "Aliases",
    }
    if set(c) - known:
        raise ValueError(f"the distribution has {sorted(set(c) - known)}: convert them in distribution_config")
    return out


# ---- what CloudFormation made, but not wholly ---------------------------------------------------------------------


def apply_dropped(cloud, stack):
    for key, r in stack.resources().items():
        p, name = stack.resolved[key], stack.names[key]
        if r["Type"] == "AWS::DynamoDB::Table":
            cloud("dynamodb").update_time_to_live(TableName=name, TimeToLiveSpecification=typed(p["TimeToLiveSpecification"]))
            if "PointInTimeRecoverySpecification" in p:
                cloud("dynamodb").update_continuous_backups(
                    TableName=name, PointInTimeRecoverySpecification=typed(p["PointInTimeRecoverySpecification"])
                )
        elif r["Type"] == "AWS::S3::Bucket":
            s3 = cloud("s3")
            s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=p["PublicAccessBlockConfiguration"])
            if "OwnershipControls" in p:
                s3.put_bucket_ownership_controls(Bucket=name, OwnershipControls=p["OwnershipControls"])
            if "LifecycleConfiguration" in p:
                s3.put_bucket_lifecycle_configuration(Bucket=name, LifecycleConfiguration={"Rules": lifecycle(p["LifecycleConfiguration"]["Rules"])})
            if "VersioningConfiguration" in p:
                s3.put_bucket_versioning(Bucket=name, VersioningConfiguration=p["VersioningConfiguration"])


def lifecycle(rules):
    """The template's rules in the API's shape."""
    out = []
    for rule in rules:
        one = {"ID": rule["Id"], "Status": rule["Status"], "Filter": {"Prefix": rule.get("Prefix", "")}}
        if "ExpirationInDays" in rule:
            one["Expiration"] = {"Days": int(rule["ExpirationInDays"])}
        if "ExpiredObjectDeleteMarker" in rule:
            one["Expiration"] = {"ExpiredObjectDeleteMarker": rule["ExpiredObjectDeleteMarker"]}
        if "AbortIncompleteMultipartUpload" in rule:
            one["AbortIncompleteMultipartUpload"] = typed(rule["AbortIncompleteMultipartUpload"])
        if "NoncurrentVersionExpiration" in rule:
            one["NoncurrentVersionExpiration"] = typed(rule["NoncurrentVersionExpiration"])
        known = {"Id", "Status", "Prefix", "ExpirationInDays", "AbortIncompleteMultipartUpload", "NoncurrentVersionExpiration"}
        known.add("ExpiredObjectDeleteMarker")
        if set(rule) - known:
            raise ValueError(f"a lifecycle rule has {sorted(set(rule) - known)}: convert them in lifecycle")
        out.append(one)
    return out


# ---- reading back -------------------------------------------------------------------------------------------------


def read_table(cloud, stack, key, p):
    name = stack.names[key]
    t = cloud("dynamodb", "dynalite").describe_table(TableName=name)["Table"]
    out = {
        "AttributeDefinitions": t["AttributeDefinitions"],
        "KeySchema": t["KeySchema"],
        "BillingMode": t.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
        "ProvisionedThroughput": t.get("ProvisionedThroughput", {}),
    }
    ttl = cloud("dynamodb").describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    out["TimeToLiveSpecification"] = {"AttributeName": ttl.get("AttributeName"), "Enabled": ttl["TimeToLiveStatus"] == "ENABLED"}
    pitr = cloud("dynamodb").describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    out["PointInTimeRecoverySpecification"] = {"PointInTimeRecoveryEnabled": pitr["PointInTimeRecoveryStatus"] == "ENABLED"}
    return out


def read_queue(cloud, stack, key, p):
    a = cloud("sqs", "fauxqs").get_queue_attributes(QueueUrl=stack.queues[key], AttributeNames=["All"])["Attributes"]
    out = {k: a[k] for k in ("VisibilityTimeout", "MessageRetentionPeriod", "DelaySeconds", "ReceiveMessageWaitTimeSeconds") if k in a}
    if "RedrivePolicy" in a:
        out["RedrivePolicy"] = json.loads(a["RedrivePolicy"].replace(":000000000000:", f":{stack.pseudo['AWS::AccountId']}:"))
    url = cloud("sqs").get_queue_url(QueueName=stack.attributes[key, "QueueName"])["QueueUrl"]
    moto = cloud("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    out["SqsManagedSseEnabled"] = moto.get("SqsManagedSseEnabled")
    return out


def read_bucket(cloud, stack, key, p):
    s3, name = cloud("s3"), stack.names[key]
    out = {
        "PublicAccessBlockConfiguration": s3.get_public_access_block(Bucket=name)["PublicAccessBlockConfiguration"],
        "BucketEncryption": {
            "ServerSideEncryptionConfiguration": [
                {"ServerSideEncryptionByDefault": r["ApplyServerSideEncryptionByDefault"]}
                for r in s3.get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"]["Rules"]
            ]
        },
    }
    if "OwnershipControls" in p:
        out["OwnershipControls"] = s3.get_bucket_ownership_controls(Bucket=name)["OwnershipControls"]
    if "VersioningConfiguration" in p:
        out["VersioningConfiguration"] = {"Status": s3.get_bucket_versioning(Bucket=name).get("Status")}
    if "LifecycleConfiguration" in p:
        rules = s3.get_bucket_lifecycle_configuration(Bucket=name)["Rules"]
        back = []
        for r in rules:
            one = {"Id": r["ID"], "Status": r["Status"], "Prefix": r.get("Filter", {}).get("Prefix", r.get("Prefix", ""))}
            if "Expiration" in r:
                one["ExpirationInDays"] = r["Expiration"].get("Days")
                one["ExpiredObjectDeleteMarker"] = r["Expiration"].get("ExpiredObjectDeleteMarker")
            for k in ("AbortIncompleteMultipartUpload", "NoncurrentVersionExpiration"):
                if k in r:
                    one[k] = r[k]
            back.append(one)
        out["LifecycleConfiguration"] = {"Rules": back}
    return out


def read_bucket_policy(cloud, stack, key, p):
    return {"Bucket": p["Bucket"], "PolicyDocument": json.loads(cloud("s3").get_bucket_policy(Bucket=p["Bucket"])["Policy"])}


def read_role(cloud, stack, key, p):
    iam, name = cloud("iam"), stack.names[key]
    role = iam.get_role(RoleName=name)["Role"]
    out = {
        "AssumeRolePolicyDocument": role["AssumeRolePolicyDocument"],
        "Description": role.get("Description"),
        "Path": role["Path"],
        "Policies": [
            {"PolicyName": n, "PolicyDocument": document(iam.get_role_policy(RoleName=name, PolicyName=n)["PolicyDocument"])}
            for n in [q["PolicyName"] for q in p.get("Policies", [])]
        ],
        "ManagedPolicyArns": [a["PolicyArn"] for a in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]],
    }
    if len(iam.list_role_policies(RoleName=name)["PolicyNames"]) != len(out["Policies"]):
        out["Policies"] = "other policies than the template's"
    if "PermissionsBoundary" in role:
        out["PermissionsBoundary"] = role["PermissionsBoundary"]["PermissionsBoundaryArn"]
    return out


def document(value):
    """A policy. moto's CloudFormation keeps it as Python writes it, names a log group without the ":*" of AWS, and
    leaves a None where AWS::NoValue was."""
    if isinstance(value, str):
        value = ast.literal_eval(re.sub(r"(:log-group:[^':]+)'", r"\1:*'", value))
    statements = value.get("Statement")
    return dict(value, Statement=[s for s in statements if s]) if isinstance(statements, list) else value


def read_log_group(cloud, stack, key, p):
    name = stack.names[key]
    group = [g for g in cloud("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"] if g["logGroupName"] == name][0]
    return {"RetentionInDays": group.get("retentionInDays"), "LogGroupName": group["logGroupName"]}


def read_function(cloud, stack, key, p):
    c = cloud("lambda").get_function_configuration(FunctionName=stack.names[key])
    return {k: c[k] for k in ("Handler", "Runtime", "MemorySize", "Timeout", "Role", "Environment", "Description", "PackageType") if k in c}


def read_mapping(cloud, stack, key, p):
    m = cloud("lambda").get_event_source_mapping(UUID=stack.names[key])
    return {
        "BatchSize": m["BatchSize"],
        "MaximumBatchingWindowInSeconds": m.get("MaximumBatchingWindowInSeconds", 0),
        "EventSourceArn": m["EventSourceArn"],
        "FunctionName": m["FunctionArn"].rsplit(":", 1)[1],
        "FunctionResponseTypes": m.get("FunctionResponseTypes", []),
        "ScalingConfig": m.get("ScalingConfig", {}),
        "Enabled": m["State"] in ("Enabled", "Enabling"),
    }


def read_invoke_config(cloud, stack, key, p):
    c = cloud("lambda").get_function_event_invoke_config(FunctionName=p["FunctionName"])
    wanted = dict(p["DestinationConfig"].get("OnFailure", {}))
    on_failure = c["DestinationConfig"].get("OnFailure", {})
    return {
        "FunctionName": c["FunctionArn"].split(":function:")[1].split(":")[0],
        "Qualifier": p.get("Qualifier"),
        "MaximumRetryAttempts": c["MaximumRetryAttempts"],
        "MaximumEventAgeInSeconds": c["MaximumEventAgeInSeconds"],
        "DestinationConfig": {"OnFailure": {k: on_failure.get(k) for k in wanted}},
    }


def read_permission(cloud, stack, key, p):
    policy = json.loads(cloud("lambda").get_policy(FunctionName=p["FunctionName"])["Policy"])
    for s in policy["Statement"]:
        if s["Action"] == p["Action"] and s["Principal"].get("Service") == p["Principal"] and s["Sid"] == key:
            conditions = {k: v for c in s.get("Condition", {}).values() for k, v in c.items()}
            lowered = {k.lower(): v for k, v in conditions.items()}
            return {
                "Action": s["Action"],
                "FunctionName": s["Resource"].rsplit(":", 1)[1],
                "Principal": p["Principal"],
                "SourceArn": lowered.get("aws:sourcearn"),
                "SourceAccount": lowered.get("aws:sourceaccount"),
            }
    return dict.fromkeys(p)


def read_schedule(cloud, stack, key, p):
    return cloud("scheduler").get_schedule(Name=p["Name"])


def read_api(cloud, stack, key, p):
    return cloud("apigatewayv2").get_api(ApiId=stack.names[key])


def read_integration(cloud, stack, key, p):
    return dict(cloud("apigatewayv2").get_integration(ApiId=p["ApiId"], IntegrationId=stack.names[key]), ApiId=p["ApiId"])


def read_route(cloud, stack, key, p):
    return dict(cloud("apigatewayv2").get_route(ApiId=p["ApiId"], RouteId=stack.names[key]), ApiId=p["ApiId"])


def read_stage(cloud, stack, key, p):
    out = dict(cloud("apigatewayv2").get_stage(ApiId=p["ApiId"], StageName=p["StageName"]), ApiId=p["ApiId"])
    return out


def read_access_control(cloud, stack, key, p):
    out = cloud("cloudfront").get_origin_access_control(Id=stack.names[key])["OriginAccessControl"]
    return {"OriginAccessControlConfig": out["OriginAccessControlConfig"]}


def read_distribution(cloud, stack, key, p):
    config = cloud("cloudfront").get_distribution_config(Id=stack.names[key])["DistributionConfig"]
    arn = cloud("cloudfront").get_distribution(Id=stack.names[key])["Distribution"]["ARN"]
    tags = cloud("cloudfront").list_tags_for_resource(Resource=arn)["Tags"]["Items"]
    return {"DistributionConfig": config, **({"Tags": tags} if tags else {})}


def read_nothing(cloud, stack, key, p):
    return {}


def read_alarm(cloud, stack, key, p):
    return cloud("cloudwatch").describe_alarms(AlarmNames=[stack.names[key]])["MetricAlarms"][0]


def read_metric_filter(cloud, stack, key, p):
    out = cloud("logs").describe_metric_filters(logGroupName=p["LogGroupName"], filterNamePrefix=stack.names[key])["metricFilters"][0]
    return upper(out)


def read_budget(cloud, stack, key, p):
    account, name = stack.pseudo["AWS::AccountId"], stack.names[key]
    budget = cloud("budgets").describe_budget(AccountId=account, BudgetName=name)["Budget"]
    notifications = cloud("budgets").describe_notifications_for_budget(AccountId=account, BudgetName=name)["Notifications"]
    # moto keeps no subscribers.
    wanted = p.get("NotificationsWithSubscribers", [])
    return {
        "Budget": budget,
        "NotificationsWithSubscribers": [dict(w, Notification=n) for w, n in zip(wanted, notifications)],
    }


def read_topic(cloud, stack, key, p):
    arn = stack.names[key]
    a = cloud("sns").get_topic_attributes(TopicArn=arn)["Attributes"]
    subscriptions = cloud("sns").list_subscriptions_by_topic(TopicArn=arn)["Subscriptions"]
    return {
        "DisplayName": a.get("DisplayName"),
        "Subscription": [{"Protocol": s["Protocol"], "Endpoint": s["Endpoint"]} for s in subscriptions],
    }


READERS = {
    "AWS::ApiGatewayV2::Api": read_api,
    "AWS::ApiGatewayV2::Integration": read_integration,
    "AWS::ApiGatewayV2::Route": read_route,
    "AWS::ApiGatewayV2::Stage": read_stage,
    "AWS::Budgets::Budget": read_budget,
    "AWS::CloudFront::Distribution": read_distribution,
    "AWS::CloudFront::Function": read_nothing,
    "AWS::CloudFront::OriginAccessControl": read_access_control,
    "AWS::CloudFront::ResponseHeadersPolicy": read_nothing,
    "AWS::CloudWatch::Alarm": read_alarm,
    "AWS::DynamoDB::Table": read_table,
    "AWS::IAM::Role": read_role,
    "AWS::Lambda::EventInvokeConfig": read_invoke_config,
    "AWS::Lambda::EventSourceMapping": read_mapping,
    "AWS::Lambda::Function": read_function,
    "AWS::Lambda::Permission": read_permission,
    "AWS::Logs::LogGroup": read_log_group,
    "AWS::Logs::MetricFilter": read_metric_filter,
    "AWS::S3::Bucket": read_bucket,
    "AWS::S3::BucketPolicy": read_bucket_policy,
    "AWS::SNS::Topic": read_topic,
    "AWS::SQS::Queue": read_queue,
    "AWS::Scheduler::Schedule": read_schedule,
}
