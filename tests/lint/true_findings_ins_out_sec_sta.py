"""What the rules about objects, outputs, secrets and the file find in recorded states that OpenTofu takes in silence.

These are the accepted cases without warnings of the groups `random`, `modules-sorting` and `attributes-fidelity`: what
is found there above info must be true. Each was looked at by hand, and held against the text of the case by a program
that knows nothing of the rules; the reason stands above each table, whose lines are the case, the address of the
finding, and for INS006 the deposed key, for STA013 the offset of the byte.
"""

from __future__ import annotations

from typing import Final

# The object at that address has `"status": "tainted"` and no deposed key, and its resource is managed.
_INS005 = r"""
random/010-s10 module.platform.module.tenant["acme/corp"].azurerm_storage_account.logs
random/014-s14 kubernetes_secret.this[1]
random/015-s15 module.app["us-east-1"].aws_iam_role.blue["<k>"]
random/017-s17 module.app["us-east-1"].tls_private_key.legacy["arn:aws:s3:::b"]
random/017-s17 module.node[10].google_compute_instance.primary
random/030-s30 module.app["eu-west-1"].aws_s3_bucket.green
random/033-s33 google_compute_instance.legacy
random/035-s35 aws_s3_bucket.legacy
random/036-s36 module.app.kubernetes_secret.node_1[1]
random/040-s40 module.app.azurerm_storage_account.primary[1]
random/052-s52 module.node[10].azurerm_resource_group.api-v2["9"]
random/054-s54 module.q["say \"hi\""].google_compute_instance.edge[0]
random/076-s76 module.q["say \"hi\""].random_id.this["eu"]
random/081-s81 module.q["say \"hi\""].aws_instance.primary
random/117-s117 random_password.api-v2["eu"]
random/122-s122 azurerm_resource_group.edge
random/165-s165 module.db["a.b"].module.replica[2].kubernetes_secret.web["us-west-2"]
random/171-s171 module.node[1].aws_s3_bucket.edge[2]
random/177-s177 aws_instance.canary[0]
random/180-s180 module.app["us-east-1"].tls_private_key.web[1]
random/183-s183 module.db["a.b"].module.replica[2].random_id.primary
random/197-s197 helm_release.node_1
random/197-s197 random_password.edge[0]
random/199-s199 module.app["us-east-1"].terraform_data.legacy
random/199-s199 module.network.google_compute_instance.web
random/201-s201 module.platform.module.tenant["acme/corp"].tls_private_key.primary
random/223-s223 module.app["eu-west-1"].kubernetes_namespace.this["$${t}"]
random/234-s234 module.node[1].aws_iam_role.worker[0]
random/239-s239 module.app.helm_release.api-v2
random/248-s248 module.platform.module.k8s.null_resource.this["Z"]
random/253-s253 module.app.kubernetes_namespace.legacy
random/253-s253 module.node[1].google_storage_bucket.primary
random/261-s261 module.node[0].aws_s3_bucket.node_1
random/264-s264 module.node[10].azurerm_storage_account.green[0]
random/290-s290 module.db["a.b"].module.replica[2].google_storage_bucket.blue
random/295-s295 module.db["a.b"].module.replica[2].vault_policy.this[2]
random/295-s295 tls_private_key.db["b"]
random/299-s299 random_id.app["é"]
random/302-s302 module.app["us-east-1"].azurerm_resource_group.canary[1]
random/303-s303 module.db["a.b"].module.replica[2].random_password.app
random/303-s303 null_resource.app
random/310-s310 module.platform.module.tenant["acme/corp"].tls_private_key.edge["10"]
random/318-s318 module.q["say \"hi\""].aws_instance.web[3]
random/323-s323 module.platform.module.k8s.kubernetes_secret.legacy[0]
random/333-s333 azurerm_resource_group.legacy
random/342-s342 module.db["a.b"].module.replica[2].random_id.green[1]
random/342-s342 vault_policy.this[0]
random/342-s342 vault_policy.this[1]
random/347-s347 module.app.google_compute_instance.legacy[0]
random/351-s351 terraform_data.db
random/355-s355 module.node[10].random_password.logs
random/367-s367 module.node[1].azurerm_storage_account.primary
random/378-s378 aws_vpc.api-v2["9"]
random/378-s378 aws_vpc.api-v2["q\"q"]
random/379-s379 module.platform.module.tenant["acme/corp"].random_password.main["arn:aws:s3:::b"]
random/384-s384 helm_release.node_1["q\"q"]
random/390-s390 module.q["say \"hi\""].tls_private_key.this[2]
random/392-s392 random_password.web
random/396-s396 vault_policy.edge
random/424-m24-null aws_vpc.canary[1]
random/449-m49-rekey aws_ami.node_1[3]
random/450-m50-null module.app.google_compute_instance.worker["$${t}"]
random/478-m78-null module.db["a.b"].module.replica[2].aws_iam_role.logs["arn:aws:s3:::b"]
random/486-m86-null aws_s3_bucket.legacy
random/508-m108-duplicate module.db["a.b"].module.replica[2].google_compute_instance.worker[0]
random/509-m109-retype module.db["a.b"].module.replica[2].terraform_data.db[1]
random/521-m121-retype module.platform.module.k8s.random_id.api-v2["a"]
random/540-m140-delete random_password.green
random/542-m142-rename aws_iam_role.logs
random/545-m145-null module.app["us-east-1"].google_storage_bucket.edge
"""

# An object at that address has that key in `deposed`. Some are of data resources, since the generator rolled both.
_INS006 = r"""
random/008-s8 module.node[10].data.aws_caller_identity.logs["q\"q"] fdece999
random/008-s8 module.platform.module.tenant["acme/corp"].random_id.logs[0] 65d053e7
random/014-s14 module.node[0].azurerm_storage_account.worker["us-west-2"] 97412c72
random/016-s16 module.db["a.b"].module.replica[2].vault_policy.legacy["Z"] 955c3b9b
random/033-s33 google_compute_instance.green[3] c5b8a027
random/036-s36 module.app.kubernetes_secret.node_1[0] 64456414
random/036-s36 module.app.kubernetes_secret.node_1[3] 31117c0f
random/037-s37 module.node[10].aws_vpc.this[2] e1181754
random/038-s38 module.node[0].aws_iam_role.canary[1] 33c160a4
random/052-s52 module.node[0].null_resource.blue 26f43040
random/052-s52 module.node[0].random_id.edge e80cdb7c
random/053-s53 module.app.data.terraform_remote_state.blue[0] 96f6f68c
random/054-s54 module.network.aws_instance.db a2321327
random/076-s76 module.db["a.b"].module.replica[2].aws_s3_bucket.legacy["Z"] c059e172
random/078-s78 kubernetes_namespace.app[0] 4f58e297
random/078-s78 module.app["eu-west-1"].helm_release.canary["$${t}"] d3c9119a
random/081-s81 terraform_data.legacy["é"] 1f4e04d9
random/090-s90 module.node[10].data.aws_ami.canary a07d8881
random/099-s99 module.q["say \"hi\""].google_storage_bucket.legacy[1] ae607968
random/108-s108 module.db["a.b"].module.replica[2].helm_release.this 43c8a539
random/117-s117 helm_release.primary["a"] 044c5723
random/122-s122 helm_release.main["arn:aws:s3:::b"] f6f9fcdf
random/122-s122 module.q["say \"hi\""].vault_policy.db 22a38b10
random/125-s125 module.network.null_resource.edge[1] 638999ba
random/126-s126 module.app.google_compute_instance.logs[0] 09334a80
random/128-s128 module.q["say \"hi\""].vault_policy.canary["eu"] 4fd95080
random/138-s138 terraform_data.db 34be98ca
random/162-s162 module.node[0].aws_instance.legacy 3d613344
random/165-s165 random_id.web["us-east-1"] d3f3d239
random/177-s177 module.network.azurerm_resource_group.primary 04192f6d
random/180-s180 module.q["say \"hi\""].data.aws_caller_identity.app["us-west-2"] 5256cfd3
random/197-s197 helm_release.node_1 8e9e497d
random/197-s197 module.app.google_storage_bucket.this 2b368fd5
random/200-s200 module.app.terraform_data.legacy 0e6a44a5
random/201-s201 module.node[10].aws_vpc.main[0] e19252c5
random/212-s212 module.node[0].google_compute_instance.blue[0] b700890f
random/213-s213 data.azurerm_client_config.blue[0] 98deae84
random/230-s230 module.app["eu-west-1"].data.aws_ami.web[0] 6a02c650
random/230-s230 module.app["eu-west-1"].data.aws_ami.web[2] f273d427
random/242-s242 azurerm_resource_group.primary["eu"] 64313c1b
random/251-s251 module.platform.module.tenant["acme/corp"].terraform_data.node_1[1] c1a32788
random/253-s253 module.node[0].terraform_data.web b3a2d0f6
random/253-s253 module.node[1].kubernetes_secret.node_1[0] a21fb6ea
random/266-s266 data.aws_caller_identity.blue["b"] cd12653b
random/287-s287 module.platform.module.tenant["acme/corp"].tls_private_key.app["b"] dd23172d
random/293-s293 module.platform.module.tenant["acme/corp"].data.aws_caller_identity.app[2] 41d600d4
random/295-s295 module.db["a.b"].module.replica[2].vault_policy.this[1] 5d3b4335
random/297-s297 module.db["a.b"].module.replica[2].aws_iam_role.logs 09abdac2
random/299-s299 random_id.app["q\"q"] d59c43e4
random/303-s303 module.node[1].azurerm_storage_account.app[0] 28fc5013
random/303-s303 module.platform.module.tenant["acme/corp"].aws_instance.canary c1399c7e
random/315-s315 module.platform.module.k8s.helm_release.this["a"] 3d9eeb0d
random/316-s316 google_storage_bucket.main[3] 032176ce
random/317-s317 module.q["say \"hi\""].tls_private_key.edge fa503c02
random/337-s337 module.platform.module.k8s.data.aws_region.blue 4394c208
random/342-s342 module.network.google_storage_bucket.web 6f63d80e
random/343-s343 module.app["eu-west-1"].null_resource.node_1 137c41a1
random/355-s355 module.node[1].data.google_client_config.app[0] 22e33dcb
random/355-s355 module.platform.module.k8s.data.aws_ami.blue[0] c761b197
random/356-s356 module.node[1].tls_private_key.blue 9beeafd0
random/357-s357 vault_policy.node_1["prod/web"] a894495e
random/359-s359 module.network.terraform_data.app 4214dd9e
random/365-s365 module.network.vault_policy.legacy[0] 6e8468e9
random/379-s379 module.platform.module.tenant["acme/corp"].random_password.main["arn:aws:s3:::b"] 7c80242f
random/384-s384 helm_release.node_1["q\"q"] 9be5ed5d
random/384-s384 module.platform.module.k8s.tls_private_key.green a4eca4fb
random/384-s384 module.platform.module.tenant["acme/corp"].azurerm_resource_group.db["x y"] 49101307
random/390-s390 module.q["say \"hi\""].tls_private_key.this[1] 256fac52
random/390-s390 null_resource.node_1["Z"] 1462dcd7
random/391-s391 null_resource.web[3] 35983a1f
random/392-s392 random_password.web 12302ad8
random/392-s392 tls_private_key.app["9"] c1df47ac
random/395-s395 module.db["a.b"].module.replica[2].aws_vpc.node_1 01ac3df0
random/508-m108-duplicate module.db["a.b"].module.replica[2].google_compute_instance.worker[0] b5e1870a
random/509-m109-retype module.platform.module.tenant["acme/corp"].kubernetes_namespace.main["q\"q"] d56ff670
random/514-m114-null module.node[0].azurerm_storage_account.edge["us-west-2"] e3bca0e8
random/516-m116-delete aws_iam_role.green["Z"] 9aa500d5
random/544-m144-delete module.db["a.b"].module.replica[2].kubernetes_namespace.app f85241c0
"""

# Both cases are made for it: a byte that is not UTF-8 stands in the lineage, in the name of an attribute.
_STA013 = """
attributes-fidelity/062-invalid-utf8-lineage 79
attributes-fidelity/063-invalid-utf8-key 304
"""

# The result for that address has `"status": "fail"`. Its objects mostly say `pass`, since the generator rolled both.
_STA017 = """
random/026-s26 module.node.null_resource.legacy
random/079-s79 module.db.module.replica.terraform_data.legacy
random/220-s220 module.platform.module.k8s.random_id.green
random/249-s249 module.node.data.terraform_remote_state.main
random/270-s270 data.aws_ami.app
random/291-s291 module.platform.module.tenant.random_id.app
random/302-s302 module.app.random_id.api-v2
random/317-s317 module.node.random_id.api-v2
random/330-s330 module.app.helm_release.this
random/345-s345 module.node.terraform_data.app
random/415-m15-delete kubernetes_namespace.canary
random/441-m41-delete data.terraform_remote_state.this
random/533-m133-delete module.app.aws_s3_bucket.web
"""

TRUE_FINDINGS: Final = {
    "INS013": [
        "attributes-fidelity/010-escapes aws_instance.web",
        "attributes-fidelity/019-lone-surrogate aws_instance.web",
    ],
    "INS005": _INS005.strip().splitlines(),
    "INS006": _INS006.strip().splitlines(),
    # Two names repeat, in one object of attributes and in one within it.
    "STA009": ["attributes-fidelity/024-duplicate-keys-inside "] * 2,
    "STA013": _STA013.strip().splitlines(),
    "STA017": _STA017.strip().splitlines(),
}
