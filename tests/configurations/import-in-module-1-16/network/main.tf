resource "aws_vpc" "inner" {}
provider "aws" {
  alias  = "west"
  region = "us-west-2"
}
import {
  to       = aws_vpc.to_be_written
  id       = "vpc-1"
  provider = aws.nope
}
import {
  to       = aws_vpc.inner
  id       = "vpc-2"
  provider = aws.west
}
