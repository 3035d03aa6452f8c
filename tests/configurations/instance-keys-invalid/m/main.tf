# In a module with unknown instances, nothing is said.
variable "tenants" {
  type      = set(string)
  ephemeral = true
  default   = ["a"]
}

resource "aws_sqs_queue" "inside" {
  for_each = var.tenants
}
