variable "vpcs" {
  type = set(string)
}

resource "aws_flow_log" "inside" {
  for_each = var.vpcs
}
