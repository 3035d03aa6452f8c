resource "aws_vpc" "inner" {}

import {
  to = aws_vpc.inner
  id = "vpc-1"
}
