"""Starts moto's server with the operations of DynamoDB and SQS one at a time.

moto 5.2.1 answers each request on a thread of its own and reads, checks and writes a row without a lock: of twenty
concurrent ADDs it loses some, and of two conditional puts both may win. DynamoDB's operations on an item are atomic.
In the same way two receivers that ask at once get the same message, and one of two deletions is undone by the other.

moto's CloudFormation imports every service that it could make, and with API Gateway's a validator of OpenAPI documents
that nothing of ours touches. Where that package is not installed, an empty one stands in for it.
"""

import importlib.util
import sys
import threading
import time
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
from moto.sqs.models import SQSBackend


def atomic(lock, method):
    def call(self, *args, **kwargs):
        with lock:
            return method(self, *args, **kwargs)

    return call


DynamoHandler.call_action = atomic(threading.Lock(), DynamoHandler.call_action)

queues = threading.RLock()  # batches call the single operations
for name in ["send_message", "delete_message", "change_message_visibility"]:
    for operation in [name, name + "_batch"]:
        setattr(SQSBackend, operation, atomic(queues, getattr(SQSBackend, operation)))

receive_now = atomic(queues, SQSBackend.receive_message)


def receive_message(self, queue_name, count, wait_seconds_timeout, *args, **kwargs):
    """Waits without the lock, so that others can send meanwhile."""
    end = time.monotonic() + wait_seconds_timeout
    while True:
        messages = receive_now(self, queue_name, count, 0, *args, **kwargs)
        if messages or time.monotonic() >= end:
            return messages
        time.sleep(0.05)


SQSBackend.receive_message = receive_message

if __name__ == "__main__":
    main()
