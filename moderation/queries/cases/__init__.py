"""Cases that wait: the queue and its age, a case as the desk shows it (`case_pages`) and as its platform
may see it (`platform_cases`, in numbers `platform_queue`).
"""
