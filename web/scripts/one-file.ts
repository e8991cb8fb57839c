import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/** The name of the built page. */
export const BUILT = "report.html";

/** A script's text in which nothing can end or comment out the element that holds it. */
function inert(code: string): string {
  return code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

/**
 * Puts script and style into the page, allows just this script by its hash, and leaves no file beside it.
 * Styles stay 'unsafe-inline': drawings have their own, and a style cannot load anything here.
 */
export function oneFile(): Plugin {
  return {
    name: "photofinish-one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      let page = "";
      for (const [name, output] of Object.entries(bundle)) {
        if (output.type === "chunk") script += output.code;
        else if (name.endsWith(".css")) style += String(output.source);
        else if (name.endsWith(".html")) page = String(output.source);
        else throw new Error(`${name} cannot stand beside the page`);
        delete bundle[name];
      }
      script = inert(script);
      const hash = createHash("sha256").update(script, "utf8").digest("base64");
      page = page
        .replace(/\s*<script type="module"[^>]*><\/script>/g, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/g, "")
        .replace("script-src 'self'", `script-src 'sha256-${hash}'`)
        .replace("</head>", () => `  <style>${style.trim()}</style>\n  </head>`)
        .replace("</body>", () => `  <script>${script}</script>\n  </body>`);
      this.emitFile({ type: "asset", fileName: BUILT, source: page });
    },
  };
}
