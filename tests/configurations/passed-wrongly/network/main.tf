terraform {
  required_providers {
    aws = {
      source = "example.com/me/aws"
    }
    amazon = {
      source = "hashicorp/aws"
    }
  }
}
