"""What links and pictures of posts lead to, fetched beside scoring: what others had fetched is joined before
the score (`join`), the rest is asked for with it and written down (`opening`, with `leads` to what that leads
to, as a browser in `browse`, anew after complaints in `renew`), leased (`leases`, which also spare sites,
share a worker's threads and find again what a lost message left), fetched (`fetch`, one answer in `answers`,
`robots`), read and kept (`collect`, what came with posts in `sent_pictures`, files in `thumbnails`, pictures
judged by `picture_model`; `mattering` says whether posts are scored again).
"""
