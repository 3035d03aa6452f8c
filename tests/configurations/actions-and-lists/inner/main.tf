action "aws_lambda_invoke" "inner" {
  provider = aws.west
}
