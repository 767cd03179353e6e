"""Turns methods into coroutines. Each call runs in a thread, which computes without the interpreter's lock."""

from collections.abc import Awaitable, Callable
from functools import wraps
from threading import Event
from typing import ParamSpec, TypeVar

from .runs import stop

P = ParamSpec("P")
T = TypeVar("T")


def twin(method: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """Returns the method as a coroutine. If the coroutine is cancelled, the method's run ends."""

    @wraps(method)
    async def call(*arguments: P.args, **options: P.kwargs) -> T:
        import asyncio

        event = Event()
        token = stop.set(event)  # the thread gets a copy of this context
        try:
            return await asyncio.to_thread(method, *arguments, **options)
        except asyncio.CancelledError:
            event.set()
            raise
        finally:
            stop.reset(token)

    return call
