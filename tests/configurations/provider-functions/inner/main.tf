output "x" {
  value = provider::aws::arn_parse("x")
}
