terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

removed {
  from = aws_vpc.old
  lifecycle {
    destroy = false
  }
}
