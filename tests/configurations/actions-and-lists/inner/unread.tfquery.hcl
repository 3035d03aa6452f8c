list "aws_instance" "of_a_module_is_not_read" {
  provider = aws.nope
}
