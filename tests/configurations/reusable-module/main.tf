terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.foo]
    }
  }
}
resource "aws_instance" "expected" {
  provider = aws.foo
}
action "aws_lambda_invoke" "expected" {
  provider = aws.foo
}
output "expected" {
  value = provider::aws::foo::arn_parse("x")
}
resource "aws_instance" "undeclared" {
  provider = aws.bar
}
module "inner" {
  source = "./inner"
  providers = {
    aws.foo = aws.foo
  }
}
