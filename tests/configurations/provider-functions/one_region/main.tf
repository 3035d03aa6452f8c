terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
output "a" { value = provider::aws::arn_parse("x") }
