terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "secret" {
  type      = set(string)
  sensitive = true
  default   = ["a"]
}

provider "aws" {
  alias    = "many"
  for_each = var.secret
}
