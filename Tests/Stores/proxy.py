"""TCP proxies between servers and Redis, for the faults that a network has.

One proxy a server, so that each can be cut off alone. They live in a thread of their own.
"""

import asyncio
import socket
import struct
import threading


class _Proxy:
    """One listening port, and what is wrong with it at the moment."""

    def __init__(self, port, upstream):
        self.port = port
        self.upstream = upstream
        self.connections = set()
        self.open = asyncio.Event()
        self.open.set()
        self.refuses = False
        self.answers_to_lose = 0
        self.listener = None

    async def serve(self):
        self.listener = await asyncio.start_server(self.accept, "127.0.0.1", self.port)

    async def accept(self, reader, writer):
        if self.refuses or self.upstream is None:
            writer.transport.abort()
            return
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        except OSError:
            writer.transport.abort()
            return
        for stream in (writer, up_writer):
            stream.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = (writer, up_writer)
        self.connections.add(pair)
        ways = [
            asyncio.ensure_future(self.pass_on(reader, up_writer, pair, is_question=True)),
            asyncio.ensure_future(self.pass_on(up_reader, writer, pair, is_question=False))]
        try:
            # Redis and its clients end both directions at once.
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # all end; asyncio would report that as an error of this callback
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self.connections.discard(pair)
            for stream in pair:
                stream.close()

    async def pass_on(self, reader, writer, pair, is_question):
        try:
            while data := await reader.read(65536):
                await self.open.wait()
                if is_question and self.answers_to_lose > 0:
                    self.answers_to_lose -= 1
                    reset(pair[0])
                    writer.write(data)
                    await writer.drain()
                    # Long enough for the question to be carried out by a busy Redis.
                    await asyncio.sleep(0.05)
                    return
                writer.write(data)
                await writer.drain()
        except (ConnectionError, OSError):
            pass

    def cut(self):
        for pair in list(self.connections):
            for stream in pair:
                reset(stream)


def reset(stream):
    """Ends a connection by a reset, as a firewall that forgot it does."""
    connection = stream.get_extra_info("socket")
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    stream.transport.abort()


class Proxies:
    """Proxies on given ports to one upstream port; each is named by its place."""

    def __init__(self, ports, upstream):
        self.loop = asyncio.new_event_loop()
        self.proxies = []
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

        async def begin():
            for port in ports:
                one = _Proxy(port, upstream)
                await one.serve()
                self.proxies.append(one)
        asyncio.run_coroutine_threadsafe(begin(), self.loop).result(10)

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def cut(self, place):
        """Resets all connections; new ones are welcome."""
        self.loop.call_soon_threadsafe(self.proxies[place].cut)

    def hold(self, place, seconds):
        """Delivers nothing for some time, in either direction, and all of it afterwards."""
        self.loop.call_soon_threadsafe(self._hold, self.proxies[place], seconds)

    def refuse(self, place, seconds):
        """Cuts, and lets nobody in for some time."""
        self.loop.call_soon_threadsafe(self._refuse, self.proxies[place], seconds)

    def lose_answer(self, place, count=1):
        """Lets the next questions through and resets their connections before the answers come."""
        self.loop.call_soon_threadsafe(self._lose, self.proxies[place], count)

    def lead(self, upstream):
        """Leads all to another port from now on, None for nowhere, and cuts what leads to the last one."""
        async def change():
            for one in self.proxies:
                one.upstream = upstream
                one.cut()
        asyncio.run_coroutine_threadsafe(change(), self.loop).result(10)

    def _hold(self, one, seconds):
        one.open.clear()
        self.loop.call_later(seconds, one.open.set)

    def _refuse(self, one, seconds):
        one.refuses = True
        one.cut()
        self.loop.call_later(seconds, setattr, one, "refuses", False)

    def _lose(self, one, count):
        one.answers_to_lose += count

    def close(self):
        async def end():
            for one in self.proxies:
                one.listener.close()
                one.open.set()
                one.cut()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        try:
            asyncio.run_coroutine_threadsafe(end(), self.loop).result(10)
        finally:
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(10)
