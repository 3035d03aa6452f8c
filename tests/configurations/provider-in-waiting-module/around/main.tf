module "inner" {
  source     = "../network"
  depends_on = ["aws_vpc.quoted"]
}
