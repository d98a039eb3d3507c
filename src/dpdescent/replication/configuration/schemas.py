"""Checks of configuration files against the schemas of `workflow/schemas`, in lines that name key, value and mend."""

from pathlib import Path

import jsonschema

from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.values import ConfigError, Node

# JSON Schema's own integers admit 7.0, which is no seed and no number of trials; a seed on a command line may be one.
_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)


def validate(content: Node, schema_path: Path, where: str) -> None:
    """Checks the content of a file against its schema.

    Raises:
        ConfigError: naming the file, the key, the value, and what the schema says of it.
    """
    schema = conf.read_yaml(schema_path)
    error = jsonschema.exceptions.best_match(_Validator(schema).iter_errors(content))
    if error is None:
        return
    key = ".".join(str(step) for step in error.absolute_path) or "the file"
    if error.validator == "additionalProperties":
        allowed = list(error.schema.get("properties", {}))
        stray = sorted(set(error.instance) - set(allowed), key=str)
        raise ConfigError(f"{where}: {key}: unknown key {stray[0]!r}{conf.did_you_mean(stray[0], allowed)}")
    mend = _description(error)
    if error.validator == "uniqueItems":
        raise ConfigError(f"{where}: {key} = {conf.short(error.instance)} names something twice; {mend}")
    if error.validator == "required":
        raise ConfigError(f"{where}: {key}: {error.message}; {mend}")
    raise ConfigError(f"{where}: {key} = {conf.short(error.instance)} is not allowed; {mend}")


def _description(error: jsonschema.ValidationError) -> str:
    """Description in the schema of the invalid key, or else of the nearest node above it."""
    while "description" not in error.schema and error.parent is not None:
        error = error.parent
    return str(error.schema.get("description", "see config/README.md"))
