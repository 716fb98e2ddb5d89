# SPDX-License-Identifier: BSD-2-Clause
"""The words of JSON Schema that our schemas use, for tests; jsonschema is not needed."""
import re

KNOWN = {"$schema", "$id", "$ref", "$defs", "title", "description", "type", "properties", "required", "items", "additionalProperties", "const",
         "enum", "minimum", "maximum", "minItems", "maxItems", "prefixItems", "anyOf", "pattern"}
TYPES = {"object": (dict,), "array": (list,), "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),)}


def nearest(value, alternatives, root, at):
    """The faults of the alternative that the value comes nearest to."""
    least = None
    for one in alternatives:
        found = faults(value, one, root, at)
        if not found:
            return []
        least = found if least is None or len(found) < len(least) else least
    return least


def faults(value, schema, root=None, at=""):
    """The places where the value deviates from the schema, with the kind of each fault; an unknown word of the schema is a fault, too."""
    root = schema if root is None else root
    out = [] if schema.keys() <= KNOWN else [f"{at}: the schema has {word}" for word in sorted(set(schema) - KNOWN)]
    if "$ref" in schema:
        return out + faults(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, at)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(type(value) in TYPES[t] for t in types):
        return out + [f"{at}: {value!r:.60} is no {' or '.join(types)}"]
    if "const" in schema and value != schema["const"]:
        out.append(f"{at}: {value!r:.60} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        out.append(f"{at}: {value!r:.60} is none of {schema['enum']}")
    if "anyOf" in schema:
        out += nearest(value, schema["anyOf"], root, at)
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        out.append(f"{at}: {value!r:.60} is not like {schema['pattern']}")
    if type(value) in (int, float) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        out.append(f"{at}: {value} is out of range")
    if isinstance(value, dict):
        out += [f"{at}: no member {key}" for key in schema.get("required", []) if key not in value]
        for key, member in value.items():
            rule = schema.get("properties", {}).get(key, schema.get("additionalProperties", True))
            out += [f"{at}: member {key}"] if rule is False else faults(member, rule, root, f"{at}.{key}") if isinstance(rule, dict) else []
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            out.append(f"{at}: {len(value)} items")
        rules = schema.get("prefixItems", [])
        for i, item in enumerate(value):
            out += faults(item, rules[i] if i < len(rules) else schema.get("items", {}), root, f"{at}[{i}]")
    return out
