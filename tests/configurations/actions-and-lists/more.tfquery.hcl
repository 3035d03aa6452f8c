list "aws_instance" "undeclared" {
  provider = aws.nope
}
list "aws_instance" "without" {
}
list "aws_instance" "declared" {
  provider = aws.west
}
provider "aws" {
  alias = "east"
}
list "aws_instance" "of_the_query" {
  provider = aws.east
}
