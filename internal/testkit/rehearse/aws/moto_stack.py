"""Starts moto's server with CloudFormation, for the rehearsal.

moto's CloudFormation imports every service that it could ever make, and with them packages (validators of OpenAPI
documents, of GraphQL, of tokens) that nothing of our template touches. They are not installed: what is imported from
them is a name that fails when it is used. moto_atomic.py beside the other doubles makes the operations of DynamoDB and SQS atomic.
"""

import importlib.abc
import importlib.machinery
import pathlib
import sys
import types

UNUSED = {"openapi_spec_validator", "graphql", "joserfc", "pyparsing", "aws_xray_sdk", "cfnlint", "jsonpath_ng", "antlr4"}


class Unused(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Exception,), {"__init__": refuse})


def refuse(self, *args, **kwargs):
    raise NotImplementedError(f"{type(self).__name__} is of a package that the rehearsal does without")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in UNUSED:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Unused(spec.name)

    def exec_module(self, module):
        pass


sys.dont_write_bytecode = True
sys.meta_path.append(Finder())  # last: a package that is there is the one that is used
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "doubles"))

import moto.cloudformation.parsing  # noqa: E402,F401  now, so that a package that lacks is told at the start
import moto_atomic  # noqa: E402

if __name__ == "__main__":
    moto_atomic.main()
