"""Starts moto's server with DynamoDB operations one at a time.

moto 5.2.1 answers each request on a thread of its own and reads, checks and writes a row without a lock: of twenty
concurrent ADDs it loses some, and of two conditional puts both may win. DynamoDB's operations on an item are atomic.
"""

import threading

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
