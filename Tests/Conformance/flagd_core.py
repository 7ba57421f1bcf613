"""Evaluates a line of the differential test with flagd's own core: what `EvaluationDriver` does, with another evaluator."""
import json
import logging
import sys

logging.disable(logging.CRITICAL)

from openfeature.contrib.tools.flagd.core import FlagdCore  # noqa: E402
from openfeature.evaluation_context import EvaluationContext  # noqa: E402
from openfeature.exception import ErrorCode, OpenFeatureError  # noqa: E402


def evaluated(core, key, context):
    attributes = {name: value for name, value in context.items() if name != "targetingKey"}
    try:
        details = core._resolve(key, None, EvaluationContext(context.get("targetingKey"), attributes), None)
        return [details.variant, details.reason.value, None]
    except OpenFeatureError as error:
        return [None, "ERROR", (error.error_code or ErrorCode.GENERAL).value]
    except Exception as error:  # a fault of the core itself: it has no answer
        return ["fault", type(error).__name__, str(error)]


def expanded(rule, evaluators):
    """A rule with its references in place: the core replaces them as text, and stumbles over escapes."""
    if isinstance(rule, dict):
        if list(rule) == ["$ref"]:
            return evaluators[rule["$ref"]]
        return {name: expanded(value, evaluators) for name, value in rule.items()}
    return [expanded(value, evaluators) for value in rule] if isinstance(rule, list) else rule


for line in sys.stdin:
    request = json.loads(line)
    core = FlagdCore()
    core.set_flags(json.dumps({"flags": expanded(request["file"]["flags"], request["file"]["$evaluators"])}))
    keys = sorted(request["file"]["flags"])
    print(json.dumps([evaluated(core, key, context) for key in keys for context in request["contexts"]]), flush=True)
