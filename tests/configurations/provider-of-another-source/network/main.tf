terraform {
  required_providers {
    aws = {
      source = "example.com/vendor/aws"
    }
  }
}
