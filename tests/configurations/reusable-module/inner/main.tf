terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.foo, aws.more]
    }
  }
}
resource "aws_instance" "passed" {
  provider = aws.foo
}
resource "aws_instance" "not_passed" {
  provider = aws.more
}
