resource "aws--x_vpc" "main" {}
