// The search runs in a worker, and browsers start none for pages from the file system: there it runs in a hidden frame of the page instead.
// The site generator takes a polyfill of this name in place of one from the network.
if (location.protocol === "file:") {
  window.Worker = class {
    #frame = document.createElement("iframe");
    #scope;

    constructor(url) {
      this.#frame.hidden = true;
      this.#frame.srcdoc = `<!doctype html><script src="${new URL(url, location)}"></script>`;
      this.#scope = new Promise((ready) => {
        this.#frame.onload = () => {
          const scope = this.#frame.contentWindow;
          scope.postMessage = (message) => this.#send(this, message);
          ready(scope);
        };
      });
      document.body.append(this.#frame);
    }

    postMessage(message) {
      this.#scope.then((scope) => this.#send(scope, message));
    }

    terminate() {
      this.#frame.remove();
    }

    // As between workers: later, and a copy that either side may change.
    #send(receiver, message) {
      const data = structuredClone(message);
      setTimeout(() => receiver.onmessage?.({ data }));
    }
  };
}
