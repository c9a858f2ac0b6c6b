"""A small registry with workflows, for the tests of what is made of them."""

from __future__ import annotations

from registry_builders import SMALL

SHELL = """\
action_classes:
  deploy: {description: A new version runs., on_no_bridge: retrieve, phrases: {en: [deploy]}}
  deploy.web: {description: The web server., on_no_bridge: retrieve, mode: enforce, phrases: {en: [deploy the web]}}
  test: {description: T., on_no_bridge: retrieve}
  test.run: {description: Tests are run., on_no_bridge: retrieve, mode: enforce}
kinds:
  ops.incident:
    {description: I., form: state, cardinality: one, comparator: text, risk: low, applies_to: [deploy], expiry_test: Ask.}
tools:
  push: {commands: ["docker push *"], class: deploy.web, impact: execute}
  apply: {commands: ["kubectl * apply *", "kubectl apply *"], class: deploy.web, impact: execute}
  look: {commands: ["kubectl * rollout status *", "cd *"], impact: read}
shell_tools: {Bash: command}
"""
WORKFLOWS = """\
workflows:
  web.staging:
    description: A new web server in staging.
    intent: {class: deploy.web, phrases: {en: [ship ... web server], zh: [发布网站]}}
    environment: {scope: ["environment:staging"]}
    preconditions:
      - {text: The tests are green., proof: {verification: test.run}}
      - {text: No incident is open., proof: {state: {kind: ops, subject: "project:garden", value: none}}}
      - {text: The owner knows., proof: {approval: true}}
    steps:
      - tool: Bash
        input: {command: "docker push web:{{tag}}"}
        expected_effect: The image is in the registry.
        verification: {query: docker manifest inspect, expected: the digest is shown}
      - tool: Bash
        input: {command: "kubectl --context staging apply -f {{manifest}}"}
        expected_effect: The new pods run.
        verification: {tool: Bash, expected: rolled out, verifies: deploy}
    exceptions:
      - {when: The pods do not come up., response: Roll back and tell the owner.}
    owner: web team
    reviewed_at: "2026-11-01"
    expires_at: "2027-05-01"
    authority: maintainer-approved
    evidence: ["Web handbook, section 3"]
    mode: enforce
"""
DOCUMENTS = (SMALL, SHELL, WORKFLOWS)
