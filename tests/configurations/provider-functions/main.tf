terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  alias = "us"
}
# provider::unknown::f() in a comment is no call.
output "a" { value = provider::aws::arn_parse("x") }
output "b" { value = provider::aws::us::arn_parse("x") }
output "c" { value = provider::nope::arn_parse("x") }
output "d" { value = provider::aws::gone::arn_parse("x") }
output "e" { value = "provider::nope::f() in a string is no call" }
output "f" { value = provider::terraform::encode_expr("x") }
module "inner" {
  source = "./inner"
}
resource "terraform_data" "deep" {
  provisioner "local-exec" {
    environment = {
      A = [for x in ["a"] : "${provider::nope2::f(x)}"]
    }
  }
  input = max(1, provider::aws::number("1"))
}
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1"])
}
output "g" { value = provider::aws::by_region::arn_parse("x") }
module "one_region" {
  source = "./one_region"
  providers = {
    aws = aws.by_region["eu-west-1"]
  }
}
