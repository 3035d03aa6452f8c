# OpenTofu: internal/lang/evalchecks/eval_for_each.go and eval_count.go.
variable "tenants" {
  type      = set(string)
  ephemeral = true
  default   = ["a"]
}

variable "names" {
  type      = set(string)
  sensitive = true
  default   = ["a"]
}

ephemeral "random_password" "one" {
  length = 16
}

locals {
  tenants = var.tenants
}

resource "aws_sqs_queue" "ephemeral" {
  for_each = local.tenants
}

resource "aws_sqs_queue" "ephemeral_resource" {
  for_each = toset([ephemeral.random_password.one.result])
}

resource "aws_sqs_queue" "ephemeral_count" {
  count = length(var.tenants)
}

# Only keys are in the state.
resource "aws_sqs_queue" "ephemeral_value" {
  for_each = { a = var.tenants }
}

resource "aws_sqs_queue" "sensitive" {
  for_each = var.names
}

resource "aws_sqs_queue" "list" {
  for_each = ["a"]
}

resource "aws_sqs_queue" "fraction" {
  count = 1.5
}

module "ephemeral" {
  source   = "./m"
  for_each = var.tenants
}

# A function of a provider is configured by then.
resource "aws_sqs_queue" "function" {
  for_each = toset([provider::aws::trim_iam_role_path("arn:aws:iam::444455556666:role/a")])
}

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}
