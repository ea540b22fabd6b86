"""Holds what clients and the server say to each other against openapi.yaml."""

import json
import re

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

METHODS = {"get", "put", "post", "delete", "patch"}


class Contract:
    def __init__(self, path):
        with open(path) as file:
            self.document = yaml.safe_load(file)
        self.registry = Registry().with_resource(
            "urn:openapi", Resource.from_contents(self.document, default_specification=DRAFT202012))
        self.operations = []
        for template, item in self.document["paths"].items():
            pattern = re.compile(re.sub(r"\{[^}]*\}", "[^/]+", template) + "$")
            for method in METHODS & item.keys():
                self.operations.append((method.upper(), pattern, template, item[method]))

    def resolve(self, value):
        while "$ref" in value:
            found = self.document
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part.replace("~1", "/").replace("~0", "~")]
            value = found
        return value

    def faults(self, schema, instance):
        """What is wrong with a document, as lines of text."""
        # References in the schema are relative to the document.
        validator = Draft202012Validator(self.rooted(schema), registry=self.registry)
        return [f"{error.json_path}: {error.message}"[:400] for error in validator.iter_errors(instance)]

    def rooted(self, value):
        if isinstance(value, dict):
            return {
                key: f"urn:openapi{part}" if key == "$ref" else self.rooted(part)
                for key, part in value.items()}
        if isinstance(value, list):
            return [self.rooted(part) for part in value]
        return value

    def check(self, exchange):
        """What is wrong with a request or with its answer, and what was asked.

        - exchange: `method`, `path`, `type`, `body`, `status`, `headers`, `answerType`, `answer`.
        """
        path = exchange["path"].split("?")[0]
        for method, pattern, template, operation in self.operations:
            if method == exchange["method"] and pattern.match(path):
                break
        else:
            return [f"{exchange['method']} {path} is no operation"], None
        name = f"{method} {template} {exchange['status']}"
        faults = []
        if exchange["body"]:
            content = operation.get("requestBody", {}).get("content", {})
            if exchange["type"] not in content:
                faults.append(f"a request of type {exchange['type']}")
            else:
                faults += self.faults(content[exchange["type"]]["schema"], json.loads(exchange["body"]))
        response = operation["responses"].get(str(exchange["status"]))
        if response is None:
            return faults + ["this status is not documented"], name
        response = self.resolve(response)
        for header, description in response.get("headers", {}).items():
            value = exchange["headers"].get(header.lower())
            if value is None:
                faults.append(f"no {header}")
            else:
                schema = self.resolve(description)["schema"]
                is_number = schema.get("type") == "integer"
                faults += self.faults(schema, int(value) if is_number else value)
        content = response.get("content", {})
        if not content:
            if exchange["answer"]:
                faults.append("a body that is not documented")
        elif exchange["answerType"] not in content:
            faults.append(f"an answer of type {exchange['answerType']}")
        elif "json" in exchange["answerType"]:
            faults += self.faults(
                content[exchange["answerType"]]["schema"], json.loads(exchange["answer"]))
        return faults, name
