resource "aws_vpc" "inner" {}
