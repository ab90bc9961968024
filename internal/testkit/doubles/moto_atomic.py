"""Starts moto's server with DynamoDB operations one at a time.

moto 5.2.1 answers each request on a thread of its own and reads, checks and writes a row without a lock: of twenty
concurrent ADDs it loses some, and of two conditional puts both may win. DynamoDB's operations on an item are atomic.

moto's CloudFormation imports every service that it could make, and with API Gateway's a validator of OpenAPI documents
that nothing of ours touches. Where that package is not installed, an empty one stands in for it.
"""

import importlib.util
import sys
import threading
import types


def stand_in(*names):
    for name in names:
        module = types.ModuleType(name)
        module.__path__ = []
        module.__getattr__ = lambda attr: type(attr, (Exception,), {})
        sys.modules[name] = module


if importlib.util.find_spec("openapi_spec_validator") is None:
    stand_in("openapi_spec_validator", "openapi_spec_validator.validation", "openapi_spec_validator.validation.exceptions")

from moto.dynamodb.responses import DynamoHandler
from moto.server import main

one_at_a_time = threading.Lock()
call_action = DynamoHandler.call_action


def atomic(self):
    with one_at_a_time:
        return call_action(self)


DynamoHandler.call_action = atomic

if __name__ == "__main__":
    main()
