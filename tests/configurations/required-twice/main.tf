terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
    second = {
      source = "hashicorp/aws"
    }
  }
}
