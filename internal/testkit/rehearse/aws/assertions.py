"""Faults that neither linters nor emulators notice, looked for in the resolved template."""

import re


def check(stack):
    problems = []
    say = lambda key, text: problems.append(f"{key}: {text}")  # noqa: E731
    kinds = {key: r["Type"] for key, r in stack.resources().items()}
    of = lambda kind: {k: stack.resolved[k] for k, t in kinds.items() if t == kind}  # noqa: E731
    functions = of("AWS::Lambda::Function")
    by_name = {stack.names[k]: (k, p) for k, p in functions.items()}
    by_name |= {stack.attributes[k, "Arn"]: (k, p) for k, p in functions.items()}

    for key, p in functions.items():
        if p.get("Architectures") != ["arm64"] or p.get("Runtime") != "provided.al2023":
            say(key, f"runs on {p.get('Architectures')} {p.get('Runtime')}")
        group = p.get("LoggingConfig", {}).get("LogGroup")
        if group not in {stack.names[k] for k, l in of("AWS::Logs::LogGroup").items() if l.get("RetentionInDays")}:
            say(key, f"logs into {group}, which keeps for ever")
        size = sum(len(k) + len(str(v)) for k, v in p.get("Environment", {}).get("Variables", {}).items())
        if size > 4096:
            say(key, f"has variables of {size} bytes; Lambda takes 4096")
    for key, p in of("AWS::Lambda::EventSourceMapping").items():
        function, properties = by_name[p["FunctionName"]]
        most, reserved = p.get("ScalingConfig", {}).get("MaximumConcurrency"), properties.get("ReservedConcurrentExecutions")
        if most and reserved and int(most) > int(reserved):
            say(key, f"runs {most} at a time, {function} has {reserved} reserved")
        if int(p.get("BatchSize", 10)) > 10 and not int(p.get("MaximumBatchingWindowInSeconds", 0)):
            say(key, f"batches of {p['BatchSize']} need a window")
        if int(p.get("BatchSize", 10)) > 10000 or int(p.get("MaximumBatchingWindowInSeconds", 0)) > 300:
            say(key, "the batch or its window is over Lambda's limits")
    for key, p in of("AWS::Scheduler::Schedule").items():
        text = p["ScheduleExpression"]
        rate = re.fullmatch(r"rate\((\d+) (minute|hour|day)(s?)\)", text)
        if rate and (rate.group(1) == "1") == bool(rate.group(3)) or not rate and not re.fullmatch(r"cron\(\S+( \S+){5}\)", text):
            say(key, f"{text} is refused by AWS")
    for key, p in of("AWS::DynamoDB::Table").items():
        for index in p.get("GlobalSecondaryIndexes", []) + p.get("LocalSecondaryIndexes", []):
            if not 3 <= len(index["IndexName"]) <= 255:
                say(key, f"the index name {index['IndexName']!r}: 3 to 255 letters")
    for key, p in of("AWS::ApiGatewayV2::Integration").items():
        function, properties = by_name[p["IntegrationUri"]]
        if int(properties["Timeout"]) > 30 or int(p.get("TimeoutInMillis", 30000)) > 30000:
            say(key, f"{function} may take {properties['Timeout']} s; an HTTP API waits 30 at most")
    return problems
