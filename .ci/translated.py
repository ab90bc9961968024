"""What the serverless transform makes of template.yaml, on standard output as JSON, after a look at what it added:
the roles that SAM writes by itself are held to the rule that internal/testkit/templatetest holds ours to."""

import json
import sys

from samtranslator.public.translator import ManagedPolicyLoader
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse


class NoManagedPolicies(ManagedPolicyLoader):
    """None of ours needs one: they are wider than what a function does."""

    def __init__(self):
        super().__init__(None)

    def load(self):
        return {}


def lists(x):
    return x if isinstance(x, list) else [x]


def faults(resources):
    for name, r in resources.items():
        p = r.get("Properties", {})
        if r["Type"] == "AWS::IAM::Role":
            if p.get("ManagedPolicyArns"):
                yield f"{name} takes a managed policy: {p['ManagedPolicyArns']}"
            for policy in p.get("Policies", []):
                for s in lists(policy["PolicyDocument"]["Statement"]):
                    for branch in s["Fn::If"][1:] if "Fn::If" in s else [s]:
                        for action in lists(branch.get("Action", [])):
                            if "*" in action:
                                yield f"{name} may do {action}"
                        for resource in lists(branch.get("Resource", [])):
                            if resource == "*" or resource.get("Fn::Sub", "").count("*") > (resource.get("Fn::Sub", "").endswith("/*")):
                                yield f"{name} reaches {resource}"
        if r["Type"] == "AWS::Lambda::Function" and not p.get("LoggingConfig", {}).get("LogGroup"):
            yield f"{name} logs into a group that nothing expires"


with open("template.yaml") as f:
    template = yaml_parse(f)
template["Globals"]["Function"]["CodeUri"] = "s3://artifacts/function.zip"  # as `sam package` would have uploaded it
stack = transform(template, {}, NoManagedPolicies())
found = list(faults(stack["Resources"]))
for f in found:
    print("translated:", f, file=sys.stderr)
json.dump(stack, sys.stdout, indent=1)
sys.exit(bool(found))
