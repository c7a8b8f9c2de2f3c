"""Lists with filters, whatever their subject: the form (`filter_form`), the page (`list_pages`), filters kept
under a name (`saved_filters`).
"""
