terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {}
provider "aws" {
  alias = "west"
}
action "aws_lambda_invoke" "implied" {
  config {}
}
action "aws_lambda_invoke" "declared" {
  provider = aws.west
  config {}
}
action "aws_lambda_invoke" "undeclared" {
  provider = aws.nope
  config {}
}
action "aws_lambda_invoke" "invalid" {
  provider = "${local.x}"
}
module "inner" {
  source = "./inner"
}
