"""Reads the template as CloudFormation would: the serverless transform, conditions, and the functions Ref, GetAtt, …"""

import re

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

NOTHING = object()  # AWS::NoValue


class NoManagedPolicies:
    """The names of managed policies, which the translator would ask IAM for. The template uses none."""

    def load(self):
        return {}


def translate(path, code):
    """Gives the template after the transform; code is where each function's package lies."""
    with open(path, encoding="utf-8") as f:
        template = yaml_parse(f)
    template.get("Globals", {}).get("Function", {}).pop("CodeUri", None)
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = code(name)
    return transform(template, {}, NoManagedPolicies())


class Stack:
    """A template with its parameters: what each resource resolves to, once others have their names."""

    def __init__(self, template, name, region, account, parameters):
        self.template = template
        self.pseudo = {
            "AWS::StackName": name,
            "AWS::Region": region,
            "AWS::AccountId": account,
            "AWS::Partition": "aws",
            "AWS::URLSuffix": "amazonaws.com",
            "AWS::NoValue": NOTHING,
        }
        self.parameters = {}
        for key, p in template.get("Parameters", {}).items():
            value = parameters.get(key, p.get("Default"))
            if value is None:
                raise ValueError(f"the parameter {key} has no value")
            pattern = p.get("AllowedPattern")
            if pattern and not re.fullmatch(pattern, str(value)):
                raise ValueError(f"{key}={value} does not match {pattern}")
            if "AllowedValues" in p and str(value) not in map(str, p["AllowedValues"]):
                raise ValueError(f"{key}={value} is not among {p['AllowedValues']}")
            self.parameters[key] = str(value)
        for key in parameters:
            if key not in self.parameters:
                raise ValueError(f"there is no parameter {key}")
        self.parameter_of_ssm = None  # gives the value of a dynamic reference, by name
        self.names = {}  # what Ref gives, by logical id
        self.attributes = {}  # what GetAtt gives, by (logical id, attribute)

    def resources(self):
        """Those whose condition holds."""
        return {
            key: r
            for key, r in self.template["Resources"].items()
            if "Condition" not in r or self.condition(r["Condition"])
        }

    def condition(self, name):
        return self.truth(self.template["Conditions"][name])

    def truth(self, value):
        (kind, args), = value.items()
        if kind == "Condition":
            return self.condition(args)
        if kind == "Fn::Equals":
            return str(self.resolve(args[0])) == str(self.resolve(args[1]))
        if kind == "Fn::Not":
            return not self.truth(args[0])
        if kind == "Fn::And":
            return all(self.truth(a) for a in args)
        if kind == "Fn::Or":
            return any(self.truth(a) for a in args)
        raise ValueError(f"a condition of {kind}")

    def ref(self, name):
        for known in (self.pseudo, self.parameters, self.names):
            if name in known:
                return known[name]
        raise KeyError(f"Ref {name}: nothing has that name yet")

    def attribute(self, name, attribute):
        if (name, attribute) in self.attributes:
            return self.attributes[name, attribute]
        raise KeyError(f"GetAtt {name}.{attribute}: not known yet")

    def resolve(self, value):
        """Gives a value with all functions worked out, and without what is AWS::NoValue."""
        if isinstance(value, list):
            return [v for v in map(self.resolve, value) if v is not NOTHING]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (kind, args), = value.items()
            if kind == "Ref":
                return self.ref(args)
            if kind == "Fn::GetAtt":
                name, attribute = args.split(".", 1) if isinstance(args, str) else (args[0], ".".join(args[1:]))
                return self.attribute(name, attribute)
            if kind == "Fn::Sub":
                return self.sub(args)
            if kind == "Fn::If":
                return self.resolve(args[1] if self.condition(args[0]) else args[2])
            if kind == "Fn::Join":
                return args[0].join(str(v) for v in self.resolve(args[1]))
            if kind == "Fn::Select":
                return self.resolve(args[1])[int(args[0])]
            if kind == "Fn::Split":
                return self.resolve(args[1]).split(args[0])
            if kind.startswith("Fn::"):
                raise ValueError(f"{kind} is not known here")
        resolved = {k: self.resolve(v) for k, v in value.items()}
        return {k: v for k, v in resolved.items() if v is not NOTHING}

    def sub(self, args):
        text, own = (args, {}) if isinstance(args, str) else args
        own = {k: self.resolve(v) for k, v in own.items()}

        def one(match):
            name = match.group(1)
            if name.startswith("!"):
                return "${" + name[1:] + "}"
            if name in own:
                return str(own[name])
            if "." in name:
                return str(self.attribute(*name.split(".", 1)))
            return str(self.ref(name))

        text = re.sub(r"\$\{([^}]+)\}", one, text)
        return re.sub(r"\{\{resolve:ssm:([^:}]+)\}\}", lambda match: self.parameter_of_ssm(match.group(1)), text)

    def without(self, types):
        """A copy for a CloudFormation that does not know some types: what would be their attributes are placeholders,
        and there are no outputs."""
        absent = {k for k, r in self.template["Resources"].items() if r["Type"] in types}

        def walk(value):
            if isinstance(value, list):
                return [walk(v) for v in value]
            if not isinstance(value, dict):
                return value
            if len(value) == 1:
                (kind, args), = value.items()
                if kind == "Fn::GetAtt" and (args.split(".")[0] if isinstance(args, str) else args[0]) in absent:
                    return "later"
                if kind == "Ref" and args in absent:
                    return "later"
                if kind == "Fn::Sub" and isinstance(args, str):
                    return {kind: re.sub(r"\$\{(\w+)(\.\w+)?\}", lambda m: "later" if m.group(1) in absent else m.group(0), args)}
            return {k: walk(v) for k, v in value.items()}

        copy = {k: walk(v) for k, v in self.template.items() if k != "Outputs"}
        return copy
